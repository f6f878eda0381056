"""Programs that scripts find in the guest in place of those for a machine's own radios.

In the guest there is nothing else of airtcp: they need Debian's Python, and import each other alone.
"""
