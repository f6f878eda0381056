#!/bin/sh
# `tc` that leaves out what Mininet-WiFi makes of distances: rates, delays and losses of radios. It is a shell script
# because moving nodes start it many times a second.
#
# Radios of mac80211_hwsim are infinitely fast, so Mininet-WiFi gives each a netem with the rate, delay and loss that
# fit its mode and distance: their handle is 2: (`set_tc` of its link.py). Here the air has them. What a script asks
# for has the handles 5: and 10:, and is done.
case " $* " in
*" handle 2: "* | *" parent 2:"*)
    case " $* " in *" add "* | *" replace "* | *" change "*)
        rest=" $* "
        rest=${rest##* dev }
        device=${rest%% *}
        if [ -e "/sys/class/net/$device/phy80211" ]; then
            echo "$*" >>/run/airtcp-tc-left-out
            exit 0
        fi ;;
    esac ;;
esac
exec /usr/sbin/tc "$@"
