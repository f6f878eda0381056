"""airtcp: how Linux TCP behaves over Wi-Fi.

Rooms, each of which may use those before it: `scenario` (what a person writes, compiled to a plan),
`execution` (plans to run folders), `data` (run folders to frames), `metrics` (frames to numbers), `plots`
(numbers to figures), `report` (tables, claims, files), `studies` and `cli`.
"""

__version__ = "0.1.0"
