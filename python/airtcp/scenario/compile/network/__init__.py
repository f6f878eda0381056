"""Nodes, wires and addresses of a scenario, as the plan has them."""
