"""Executors, which compute runs: on this machine's cores, or on the workers of a Dask cluster."""
