#!/bin/sh
# Runs Debian's own tests of Mininet's examples. They call `python`, which Debian does not have.
ln -sf /usr/bin/python3 /usr/bin/python
cd /usr/share/doc/mininet/examples/test || exit 1
exec python3 -m unittest "$@"
