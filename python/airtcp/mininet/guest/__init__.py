"""Programs that scripts find in the guest in place of those for a machine's own radios.

They run by themselves, with the guest's Python and its standard library, and not as parts of this package.
"""
