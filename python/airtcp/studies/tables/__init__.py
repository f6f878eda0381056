"""Tables of a study: values by levels, beside the paper's, and verdicts."""
