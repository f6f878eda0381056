"""Errors that a user reads: the thing, the place, the remedy."""


class AirtcpError(Exception):
    """Something a user can understand and mend.

    `what` names the thing that is wrong, `place` where it stands (a file and key, a folder, a node), and
    `remedy` what to do. `exit_status` is that of the command: 2 for what the user gave, 3 for a failed run.
    """

    exit_status = 2

    def __init__(self, what: str, place: str = "", remedy: str = "") -> None:
        self.what = what.rstrip(".")
        self.place = place
        self.remedy = remedy[:1].upper() + remedy[1:].rstrip(".")
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.place}: {self.what}" if self.place else self.what
        if not self.remedy:
            return f"{text}."
        return f"{text}. {self.remedy}{'' if self.remedy.endswith('?') else '.'}"
