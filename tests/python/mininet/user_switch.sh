# A user-space switch in a namespace of its own, by hand: it drops what no rule is about.
set -e
for name in one two; do
    ip netns add $name
    ip link add $name-eth0 netns $name type veth peer name s1-$name
    ip -n $name link set $name-eth0 up; ip link set s1-$name up
done
ip -n one address add 10.8.0.1/24 dev one-eth0; ip -n two address add 10.8.0.2/24 dev two-eth0
ovs-testcontroller ptcp:6653 &
ofdatapath -i s1-one,s1-two punix:/tmp/s1 -d 000000000001 --no-slicing &
ofprotocol unix:/tmp/s1 tcp:127.0.0.1:6659 --fail=closed --listen=ptcp:6654 &
sleep 2
ip netns exec one ping -q -c 3 -i 0.2 -W 1 10.8.0.2 || true
dpctl unix:/tmp/s1 flow-mod table=0,cmd=add in_port=1 apply:output=2
dpctl unix:/tmp/s1 flow-mod table=0,cmd=add in_port=2 apply:output=1
ip netns exec one ping -q -c 3 -i 0.2 -W 1 10.8.0.2
kill %3; ofprotocol unix:/tmp/s1 tcp:127.0.0.1:6653 --fail=closed --listen=ptcp:6654 &
sleep 5
dpctl status tcp:127.0.0.1:6654
kill %1 %2 %4
