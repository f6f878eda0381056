"""Marks of results that do not show what they seem to."""

from collections.abc import Iterable

# Set at a bar, a line, an area or a number whose congestion control was not what limited the flow.
DOUBT_MARK = "*"
DOUBT_TEXT = f"{DOUBT_MARK} The congestion control was not what limited the flow."


def marked(label: str, doubtful: bool) -> str:
    """The label, with the mark if it is needed."""
    return f"{label} {DOUBT_MARK}" if doubtful else label


def caption_of(text: str, marks: Iterable[str]) -> str:
    """The caption of a figure, with what the mark says if a label or note in it ends with the mark."""
    return f"{text}\n{DOUBT_TEXT}" if any(mark.endswith(DOUBT_MARK) for mark in marks) else text
