"""What happened in a run, as columns: for traces of Perfetto and for the timeline of pages."""
