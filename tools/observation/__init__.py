"""A search for scenarios whose results change when they are observed."""
