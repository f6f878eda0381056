"""Where runs are computed: on this machine's cores, or on the workers of a Dask cluster."""
