# Two radios of vehicles, by hand: first in an IBSS, then outside the context of a BSS at 5.9 GHz.
set -e
modprobe mac80211_hwsim radios=2
ip netns add far
iw phy phy1 set netns name far
far="ip netns exec far"
iw dev wlan0 set type ibss; ip link set wlan0 up; iw dev wlan0 ibss join lab 2437
iw dev wlan0 interface add mesh0 type mp; ip link set mesh0 up; ip link set mesh0 down
iw dev wlan0 ibss leave; ip link set wlan0 down
iw dev wlan0 set type ocb; $far iw dev wlan1 set type ocb
ip address add 10.7.0.1/24 dev wlan0; $far ip address add 10.7.0.2/24 dev wlan1
ip link set wlan0 up; $far ip link set wlan1 up
iw dev wlan0 ocb join 5905 20MHz; $far iw dev wlan1 ocb join 5905 20MHz
iw dev wlan0 info | grep type
ping -q -c 3 -i 0.2 10.7.0.2
