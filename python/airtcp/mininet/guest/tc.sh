#!/bin/sh
# `tc` that leaves out what Mininet-WiFi does to radios of its own accord. It is a shell script because moving nodes start it
# many times a second.
#
# Radios of mac80211_hwsim are infinitely fast, so Mininet-WiFi shapes them: by distance, and every link by the rate of
# its mode, whether a script asks for one or not. Here the air has rates, losses and delays. Its commands are known by their
# handles (IntfWireless.set_tc and WirelessLink.config of its link.py, and Mininet's TCIntf): 2, 5 and 10. All others are those
# of scripts.
case " $* " in
*" root handle 2: netem rate "* | *" parent 2:1 handle 10: pfifo limit 1000 "* | \
    *" root handle 5:0 htb default 1 "* | *" root handle 5:0 hfsc default 1 "* | *" root handle 5: tbf rate "* | \
    *" parent 5:0 classid 5:1 "* | *" parent 5:1 handle "*": "* | *" parent 6: handle 10: "* | \
    *" root handle 10: netem "*)
    rest=" $* "
    rest=${rest##* dev }
    device=${rest%% *}
    if [ -n "$device" ] && [ -e "/sys/class/net/$device/phy80211" ]; then
        echo "$*" >>/run/airtcp-tc-left-out
        exit 0
    fi ;;
esac
exec /usr/sbin/tc "$@"
