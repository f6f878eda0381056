"""The series of a run folder, each declared once: columns, key, names of numbers, and completeness."""
