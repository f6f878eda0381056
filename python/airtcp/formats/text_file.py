"""Files of text: what is none, and a line that is wrong, are refused with their place."""

from pathlib import Path

from airtcp.errors import AirtcpError


def damaged_line(file: Path, number: int, why: str) -> AirtcpError:
    """The error of a file of text one line of which is wrong."""
    return AirtcpError(f"is damaged: line {number} {why}", str(file), "Record again, or give a whole file")


def text_of(file: Path, content: bytes) -> str:
    """The text; what is no text is an `AirtcpError` that names the line."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise damaged_line(file, number, "is not text in UTF-8") from None


def first_line(content: bytes) -> str:
    """The first line with something in it, of which not more than a file is recognised by."""
    head = content[:4_000].decode("utf-8-sig", "replace")
    return next((line.strip() for line in head.splitlines() if line.strip()), "")
