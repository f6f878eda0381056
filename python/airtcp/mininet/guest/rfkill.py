"""`rfkill`: the radios of the guest have no switches, so there are none to list or to set."""
