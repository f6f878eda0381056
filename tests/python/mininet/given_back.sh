# A radio that was a station's is given back and taken again, when its network is on another channel.
modprobe mac80211_hwsim radios=0
hwsim_mgmt -c -n access >/dev/null
join() { # channel
    hwsim_mgmt -c -n station >/dev/null
    printf '%s\n' interface=wlan0 ssid=lab hw_mode=g "channel=$1" >/tmp/ap.conf
    hostapd -B -P /tmp/ap.pid /tmp/ap.conf >/dev/null
    ip link set wlan1 up
    iw phy station info | grep -c 'RTS threshold: 500'
    iw dev wlan1 connect lab
    sleep 4
    iw dev wlan1 link | grep freq
    iw phy station set rts 500
    kill "$(cat /tmp/ap.pid)"
    hwsim_mgmt -x station >/dev/null
    sleep 1
}
join 6
join 1
