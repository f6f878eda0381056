"""Text for a terminal in which control characters are visible: others may have written it."""

import re

# Control characters (C0 without tab and newline, DEL, C1), marks that change the direction or the line of
# what follows, and halves of pairs (surrogates), which no terminal can show.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with `\x1b` in place of an escape character, and so on; lines and tabs stay."""
    return _HIDDEN.sub(lambda found: _written(ord(found[0])), text)


def _written(code: int) -> str:
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
