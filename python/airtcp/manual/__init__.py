"""The manual at hand: the pages of the documentation, and what each key means."""
