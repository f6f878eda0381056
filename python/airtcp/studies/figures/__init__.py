"""Figures of a study: from results to charts."""
