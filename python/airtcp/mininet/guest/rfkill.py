"""`rfkill`: the radios of the guest have no switches."""


def main() -> None:
    """There are none to list or to set."""
