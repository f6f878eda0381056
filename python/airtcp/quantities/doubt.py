"""Marks of results that do not show what they seem to."""

# Set at a bar, a line or an area whose congestion control was not what limited the flow.
DOUBT_MARK = "*"
DOUBT_TEXT = f"{DOUBT_MARK} The congestion control was not what limited the flow."


def marked(label: str, doubtful: bool) -> str:
    """The label, with the mark if it is needed."""
    return f"{label} {DOUBT_MARK}" if doubtful else label
