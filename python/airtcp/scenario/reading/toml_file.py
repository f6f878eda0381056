"""TOML files of users: their text and their tables, with one clear error."""

import errno
import tomllib
from pathlib import Path
from typing import Any

from airtcp.input_file import read_input
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.toml_syntax import syntax_mistake

# A scenario is a page of text; a file beyond this is something else.
FILE_BYTES_MOST = 4_000_000


def read_text(path: Path) -> str:
    """The text of a scenario file; every reason why it can't be read is a `ScenarioError`."""
    try:
        return read_input(path, FILE_BYTES_MOST).decode("utf-8").replace("\r\n", "\n")
    except IsADirectoryError:
        raise ScenarioError("", "is a folder", "Name the scenario file in it", path) from None
    except FileNotFoundError:
        raise ScenarioError("", "there is no such file", "Check the path", path) from None
    except UnicodeDecodeError as error:
        raise ScenarioError("", f"is not UTF-8 text (byte {error.start})", "Save it as UTF-8", path) from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ScenarioError("", "is too large for a scenario", "Name a TOML file", path) from None
        remedy = "Name a TOML file" if error.errno == errno.EINVAL else "Check its permissions"
        raise ScenarioError("", f"can't be read: {error.strerror}", remedy, path) from None


def parse_toml(text: str, file: Path | str | None = None) -> dict[str, Any]:
    """The tables of a TOML text; a syntax error names its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        mistake = syntax_mistake(text, error)
        place = f"{file}:{mistake.line}" if file and mistake.line else file
        raise ScenarioError("", mistake.what, mistake.remedy, place) from None
    except ValueError:
        # Python reads no number of more than 4300 digits.
        raise ScenarioError("", "holds a number that is too long", "Write it with its unit", file) from None
    except RecursionError:
        raise ScenarioError("", "is nested too deeply", "Write it flat", file) from None
