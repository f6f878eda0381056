// SPDX-License-Identifier: GPL-2.0
/*
 * Wires between the two parts of a split network. Frames on them arrive as buffers of
 * their own. If another machine computes the receiver, a frame is given to the engine when it
 * is put on the wire; if another machine computes the sender, the engine puts its frames on
 * the wire.
 */
#include "../engine/engine.h"
#include "../frame/frame.h"
#include "../parts/parts.h"
#include "device.h"
#include "wire.h"

static LIST_HEAD(airtcp_wires_between);

/* The frame in a receive buffer of its own. */
struct sk_buff *airtcp_wire_copy(struct net_device *peer, struct sk_buff *skb)
{
	struct airtcp_image image;
	struct sk_buff *copy;

	airtcp_image_of(skb, &image);
	copy = airtcp_image_receive(peer, &image);
	consume_skb(skb);
	return copy;
}

/* Gives the frame to the machine that computes the receiver. */
void airtcp_wire_leave(struct airtcp_wire *wire, struct sk_buff *skb)
{
	struct airtcp_image image;

	airtcp_image_of(skb, &image);
	airtcp_engine.wire_leaves(wire->dev->ifindex, AIRTCP_WIRE_FRAME(skb)->arrival,
				  time_travel_now(), &image);
}

void airtcp_wire_separate(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer;

	if (dev->netdev_ops != &airtcp_wire_ops)
		return;
	peer = rcu_dereference_raw(wire->peer);
	if (!peer || airtcp_part_of(dev_net(dev)) == airtcp_part_of(dev_net(peer)))
		return;
	wire->joins = AIRTCP_WIRE_BETWEEN;
	if (airtcp_is_elsewhere(dev_net(dev)))
		wire->joins = AIRTCP_WIRE_ENTERS;
	else if (airtcp_is_elsewhere(dev_net(peer)))
		wire->joins = AIRTCP_WIRE_LEAVES;
	wire->arrival.rank = AIRTCP_RANK_WIRES + dev->ifindex;
	list_add_tail(&wire->between, &airtcp_wires_between);
}

static struct airtcp_wire *airtcp_wire_between(unsigned int ifindex)
{
	struct airtcp_wire *wire;

	list_for_each_entry(wire, &airtcp_wires_between, between) {
		if (wire->dev->ifindex == ifindex)
			return wire;
	}
	panic("airtcp: device %u is no wire between parts", ifindex);
}

/* A frame that another machine has sent arrives at this time. */
static void airtcp_wire_enter(unsigned int ifindex, unsigned long long arrival,
			      const struct airtcp_image *image)
{
	struct airtcp_wire *wire = airtcp_wire_between(ifindex);
	struct sk_buff *skb = airtcp_image_receive(rcu_dereference_raw(wire->peer), image);

	*AIRTCP_WIRE_FRAME(skb) = (struct airtcp_wire_frame){
		.departure = arrival,
		.arrival = arrival,
		.received = true,
	};
	__skb_queue_tail(&wire->frames, skb);
	airtcp_wire_arm_arrival(wire);
}

void __init airtcp_wire_serve(struct airtcp_host *host)
{
	host->wire_enters = airtcp_wire_enter;
}
