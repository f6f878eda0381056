# A script shapes the radio of a station; Mininet-WiFi gives it a rate by its distance before.
modprobe mac80211_hwsim radios=2
printf '%s\n' interface=wlan0 ssid=s hw_mode=g channel=1 >/tmp/ap.conf
ip netns add far
iw phy phy1 set netns name far
ip addr add 10.0.0.1/24 dev wlan0
hostapd -B /tmp/ap.conf >/dev/null
ip -n far link set wlan1 up
ip -n far addr add 10.0.0.2/24 dev wlan1
ip netns exec far iw dev wlan1 connect s
sleep 2
show() { ip netns exec far tc qdisc show dev wlan1 | sed -n 's/^qdisc /queue /p' | head -1; }
ip netns exec far tc qdisc replace dev wlan1 root handle 2: netem rate 12.0000mbit latency 1.00ms
show
ip netns exec far tc qdisc add dev wlan1 root tbf rate 3mbit burst 15k latency 50ms
show
iperf3 -s -1 -D
sleep 0.5
ip netns exec far iperf3 -f m -c 10.0.0.1 -t 5
ip netns exec far tc qdisc del dev wlan1 root
ip netns exec far tc qdisc add dev wlan1 root pfifo limit 20
show
ip netns exec far tc qdisc replace dev wlan1 root fq_codel
show
