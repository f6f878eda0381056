"""Everything that can be read off a run, by one name each: `registry` has the quantities.

A quantity reads series of a run (`airtcp.data`), lets `airtcp.metrics` compute, and says how the result is
called and in which unit. `airtcp plot`, reports, studies, campaigns and `airtcp compare` take their
quantities from here.
"""
