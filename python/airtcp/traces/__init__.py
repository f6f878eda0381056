"""Recordings of other programs as traces: files that `[[channel.trace]]`, wires and radios replay."""
