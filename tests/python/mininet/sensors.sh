# Sensors as of Mininet-WiFi, by hand: the first two have a link, the third has none.
set -e
modprobe mac802154_hwsim
lsmod | grep mac802154_hwsim
wpan-hwsim add
for number in 0 1 2; do
    ip netns add sensor$number
    iwpan phy phy$number set netns name sensor$number 2>/dev/null || {
        ip netns exec sensor$number sleep 1000 &
        sleep 0.1
        iwpan phy phy$number set netns $!
    }
    do="ip netns exec sensor$number"
    $do iwpan dev wpan$number set pan_id 0xbeef
    $do ip link add link wpan$number name lowpan0 type lowpan
    $do ip link set wpan$number up; $do ip link set lowpan0 up
    $do ip address add 2001:db8::$number/64 dev lowpan0 nodad
done
sleep 3
ip netns exec sensor0 ping -q -c 2 -i 0.2 2001:db8::1
ip netns exec sensor0 ping -q -c 2 -i 0.2 -W 1 2001:db8::2 || true
