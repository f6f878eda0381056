"""Cells, radios and the channel of a scenario, as the plan has them."""
