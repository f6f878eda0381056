#!/bin/sh
# `rfkill`: the radios of the guest have no switches. There are none to list or to set.
