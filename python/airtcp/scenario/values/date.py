"""The date of a run: what clocks on the wall say at traffic time zero."""

import datetime as dt
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from airtcp.wrong_values import in_toml

# Clocks of 32 bits begin anew after it (DATE_MAX_S of the plan crate).
LATEST = datetime.fromtimestamp(2**32 - 1, UTC)
# The guest boots before traffic time zero; an epoch is at most a day.
EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
DEFAULT_DATE = "2026-01-01T00:00:00Z"


def read_date(value: Any) -> int:
    """Seconds since 1970 of a date of TOML or its text; `ValueError` says what is wrong with it."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(f'"{value}" is not a date; write {DEFAULT_DATE}') from None
    if isinstance(value, dt.date) and not isinstance(value, datetime):
        value = datetime.combine(value, dt.time())
    if not isinstance(value, datetime):
        raise ValueError(f"{in_toml(value)} is not a date; write {DEFAULT_DATE}")
    moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    if not EARLIEST <= moment <= LATEST:
        raise ValueError(f"{value} is out of range: {date_text(EARLIEST)} to {date_text(LATEST)}")
    if moment.microsecond:
        raise ValueError(f"{value} has parts of a second; write whole seconds")
    return int(moment.timestamp())


def date_text(moment: datetime) -> str:
    """A time as scenarios write it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(date_s: int) -> str:
    return date_text(datetime.fromtimestamp(date_s, UTC))


READ_DATE = BeforeValidator(read_date)
DateS = Annotated[int, READ_DATE, PlainSerializer(_text, return_type=str)]
