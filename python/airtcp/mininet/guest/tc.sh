#!/bin/sh
# `tc` that leaves queues and rates of radios alone: those are the radio's and mac80211's. It is a shell script because
# moving nodes start it many times a second.
#
# Radios of mac80211_hwsim are infinitely fast, so Mininet-WiFi shapes them: by distance, and every link by the rate of
# its mode, whether a script asks for one or not. Here the air has rates, losses and delays.
case " $* " in
*" add "* | *" replace "* | *" change "*)
    rest=" $* "
    rest=${rest##* dev }
    device=${rest%% *}
    if [ -n "$device" ] && [ -e "/sys/class/net/$device/phy80211" ]; then
        echo "$*" >>/run/airtcp-tc-left-out
        exit 0
    fi ;;
esac
exec /usr/sbin/tc "$@"
