"""From a scenario to a plan, in which every value is explicit."""
