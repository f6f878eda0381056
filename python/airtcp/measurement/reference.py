"""The reference of lab files, made from the models: `docs/reference/lab.md`."""

from airtcp.measurement.lab_file import LabFile, LabNode
from airtcp.scenario.reference.tables import table_text

_HEAD = """# Lab files

A lab file is a TOML file that says which machine is which node of a scenario; [measurements of real
networks](../how-to/measure.md) explain it.

This page is made from the models in `python/airtcp/measurement/lab_file.py`
(`python -m airtcp.measurement.reference`).
"""
SECTIONS = (("A lab", LabFile), ("`[node.NAME]`", LabNode))


def lab_reference() -> str:
    """The page, as Markdown."""
    sections = (f"## {title}\n\n{table_text(model, None)}" for title, model in SECTIONS)
    return "\n".join((_HEAD, *sections))


if __name__ == "__main__":
    print(lab_reference(), end="")
