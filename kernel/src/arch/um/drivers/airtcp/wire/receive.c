// SPDX-License-Identifier: GPL-2.0
/* Events of wires, at which frames arrive, and the moderation of the interrupts for these. */
#include <linux/airtcp_linux.h>
#include <linux/etherdevice.h>
#include <net/gro.h>
#include "../engine/engine.h"
#include "../frame/frame.h"
#include "device.h"
#include "wire.h"

static LIST_HEAD(airtcp_wires_due);
static struct napi_struct airtcp_wire_napi;

/* The frame after which the interrupt does not wait for its timer, or that time. */
static u64 airtcp_wire_enough(const struct airtcp_wire *wire, u32 frames, u64 timer)
{
	const struct sk_buff *skb;

	skb_queue_walk(&wire->frames, skb) {
		u64 arrival = AIRTCP_WIRE_FRAME(skb)->arrival;

		if (AIRTCP_WIRE_FRAME(skb)->lost)
			continue;
		if (arrival >= timer)
			break;
		if (!--frames)
			return arrival;
	}
	return timer;
}

/* When the first frame on the wire is received, as far as is known. */
static u64 airtcp_wire_interrupt(const struct airtcp_wire *wire)
{
	const struct airtcp_wire *to = airtcp_wire_other(wire);
	struct sk_buff *first = airtcp_wire_first(wire);
	u64 time = first ? AIRTCP_WIRE_FRAME(first)->arrival : AIRTCP_WIRE_NEVER;

	if (time == AIRTCP_WIRE_NEVER || !to || !airtcp_wire_is_moderated(to))
		return time;
	time += to->rx.after_first_ns;
	if (to->rx.frames)
		time = airtcp_wire_enough(wire, to->rx.frames, time);
	return max(time, to->polled_ns + to->rx.interval_ns);
}

void airtcp_wire_arm_arrival(struct airtcp_wire *wire)
{
	u64 time = airtcp_wire_interrupt(wire);

	if (time == AIRTCP_WIRE_NEVER)
		return;
	if (wire->arrival.pending) {
		if (wire->arrival.time <= time)
			return;
		time_travel_del_event(&wire->arrival);
	}
	time_travel_add_event(&wire->arrival, time);
}

/* Makes it a frame received by the other end; NULL: it is not received here, and is freed. */
struct sk_buff *airtcp_wire_forward(struct airtcp_wire *wire, struct sk_buff *skb)
{
	struct net_device *peer = rcu_dereference(wire->peer);

	if (wire->joins == AIRTCP_WIRE_LEAVES) {
		consume_skb(skb);
		return NULL;
	}
	if (peer && peer->flags & IFF_UP) {
		if (wire->joins != AIRTCP_WIRE_WITHIN && !AIRTCP_WIRE_FRAME(skb)->received)
			skb = airtcp_wire_copy(peer, skb);
		peer->stats.rx_packets++;
		peer->stats.rx_bytes += skb->len;
		/* Once it has arrived, the sender may change the file that it sent. */
		if (!airtcp_payload_stays(skb) && skb_linearize(skb))
			panic("airtcp: no memory for a frame on a wire");
		/* The checksum needs no test, and may still be missing (CHECKSUM_PARTIAL). */
		return __dev_forward_skb(peer, skb) == NET_RX_SUCCESS ? skb : NULL;
	}
	wire->dev->stats.tx_dropped++;
	kfree_skb(skb);
	return NULL;
}

static void airtcp_wire_is_due(struct airtcp_wire *wire)
{
	if (list_empty(&wire->due))
		list_add_tail(&wire->due, &airtcp_wires_due);
	napi_schedule_irqoff(&airtcp_wire_napi);
}

void airtcp_wire_arrive(struct time_travel_event *event)
{
	airtcp_wire_is_due(container_of(event, struct airtcp_wire, arrival));
}

void airtcp_wire_depart(struct time_travel_event *event)
{
	airtcp_wire_is_due(container_of(event, struct airtcp_wire, departure));
}

static void airtcp_wire_receive(struct sk_buff *skb)
{
	struct airtcp_wire *to = netdev_priv(skb->dev);

	if (!(skb->dev->features & NETIF_F_GRO)) {
		netif_receive_skb(skb);
		return;
	}
	/* GRO moves pages between frames, and TCP's retransmit queue reads the sender's list. */
	if (skb_unclone_keeptruesize(skb, GFP_ATOMIC))
		panic("airtcp: no memory for a received frame");
	napi_gro_receive(&to->gro, skb);
}

/* The end of a poll: no frame of a later one is merged with those of this one. */
static void airtcp_wire_end_poll(struct airtcp_wire *to, u64 now)
{
	to->polled_ns = now;
	napi_gro_flush(&to->gro, false);
#if AIRTCP_HAS_GRO_NODE
	gro_normal_list(&to->gro.gro);
#else
	gro_normal_list(&to->gro);
#endif
}

/* Whether the interrupt for frames that have arrived has come. */
static bool airtcp_wire_is_interrupted(const struct airtcp_wire *wire, u64 now)
{
	return airtcp_wire_interrupt(wire) <= now;
}

static bool airtcp_wire_discarding;

bool airtcp_wire_discards(void)
{
	return airtcp_wire_discarding;
}

/* Frees the frames that are lost, up to the first that is not; they have departed. */
static void airtcp_wire_discard_lost(struct airtcp_wire *wire, u64 now)
{
	struct sk_buff *skb;

	while ((skb = skb_peek(&wire->frames)) && AIRTCP_WIRE_FRAME(skb)->lost &&
	       AIRTCP_WIRE_FRAME(skb)->departure <= now) {
		__skb_unlink(skb, &wire->frames);
		airtcp_wire_discarding = true;
		kfree_skb(skb);
		airtcp_wire_discarding = false;
	}
}

/* The poll of the other end receives all that has arrived. */
static int airtcp_wire_deliver(struct airtcp_wire *wire, u64 now)
{
	struct airtcp_wire *to = airtcp_wire_other(wire);
	struct sk_buff *skb;
	int arrived = 0;

	while ((skb = skb_peek(&wire->frames)) && AIRTCP_WIRE_FRAME(skb)->arrival <= now) {
		__skb_unlink(skb, &wire->frames);
		skb = airtcp_wire_forward(wire, skb);
		if (skb)
			airtcp_wire_receive(skb);
		arrived++;
		airtcp_wire_discard_lost(wire, now);
	}
	if (to)
		airtcp_wire_end_poll(to, now);
	return arrived;
}

/* Everything of this end that happens now. */
static int airtcp_wire_happen(struct airtcp_wire *wire)
{
	u64 now = time_travel_now();
	int arrived = 0;

	airtcp_wire_advance(wire, now);
	if (!wire->charged)
		wire->awaited = false;
	airtcp_wire_discard_lost(wire, now);
	if (airtcp_wire_is_interrupted(wire, now))
		arrived = airtcp_wire_deliver(wire, now);
	airtcp_wire_arm_arrival(wire);
	airtcp_wire_arm_departure(wire);
	return arrived;
}

static int airtcp_wire_poll(struct napi_struct *napi, int budget)
{
	struct airtcp_wire *wire;
	int done = 0;

	while (done < budget && !list_empty(&airtcp_wires_due)) {
		wire = list_first_entry(&airtcp_wires_due, struct airtcp_wire, due);
		list_del_init(&wire->due);
		done += airtcp_wire_happen(wire);
	}
	done = min(done, budget);
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

int airtcp_wire_no_poll(struct napi_struct *napi, int budget)
{
	return 0;
}

int __init airtcp_wire_receive_init(void)
{
	struct net_device *napi_dev = airtcp_napi_dev();

	if (!napi_dev)
		return -ENOMEM;
	netif_napi_add(napi_dev, &airtcp_wire_napi, airtcp_wire_poll);
	napi_enable(&airtcp_wire_napi);
	return 0;
}
