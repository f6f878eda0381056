"""Figures: `prepare_x` makes the data of a figure (tested without drawing), `draw_x` draws it."""
