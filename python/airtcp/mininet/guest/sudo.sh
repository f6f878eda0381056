#!/bin/sh
# `sudo`: scripts are root here. That of the machine reads files that only the machine's root can read.
user=root shell= asks=
while getopts "ABbEeHiKklnPSsvVC:D:g:h:p:R:r:T:t:U:u:-:" option; do
    case $option in
    u) user=$OPTARG ;;
    i | s) shell=yes ;;
    K | k | l | V | v) asks=yes ;;
    esac
done
shift $((OPTIND - 1))
if [ $# = 0 ]; then
    [ -z "$shell" ] && { [ -n "$asks" ] && exit 0; echo "usage: sudo [-u user] command" >&2; exit 1; }
    set -- "${SHELL:-/bin/bash}"
elif [ -n "$shell" ]; then
    set -- "${SHELL:-/bin/bash}" -c "$*"
fi
[ "$user" = root ] || [ "$user" = "#0" ] || exec runuser -u "$user" -- env "$@"
exec env "$@"
