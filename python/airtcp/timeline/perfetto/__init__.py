"""Traces of Perfetto (https://perfetto.dev): the messages of `perfetto_trace.proto` that a timeline needs."""
