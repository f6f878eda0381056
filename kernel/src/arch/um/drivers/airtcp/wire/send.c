// SPDX-License-Identifier: GPL-2.0
/* Frames that a device sends: how long they occupy the wire, when they depart and arrive. */
#include <linux/etherdevice.h>
#include <linux/airtcp_linux.h>
#if AIRTCP_HAS_GSO_HEADER
#include <net/gso.h>
#endif
#include <net/sock.h>
#include "device.h"
#include "wire.h"

static void (*airtcp_wire_lost)(const struct sk_buff *skb);

void airtcp_wire_loses_to(void (*lost)(const struct sk_buff *skb))
{
	airtcp_wire_lost = lost;
}

static bool airtcp_wire_takes_time(const struct airtcp_wire *wire)
{
	const struct airtcp_wire *to = airtcp_wire_other(wire);

	return wire->rate_bps || wire->delay_ns || wire->trace ||
	       (to && airtcp_wire_is_moderated(to));
}

/* The frame occupies the wire from this time on. */
static void airtcp_wire_serialise(struct airtcp_wire *wire, unsigned int len, u64 start)
{
	u64 total;

	if (start == AIRTCP_WIRE_NEVER)
		return;
	if (start > wire->free_ns)
		wire->fraction = 0;
	total = (u64)len * BITS_PER_BYTE * NSEC_PER_SEC + wire->fraction;
	if (wire->trace) {
		wire->free_ns = airtcp_wire_trace_depart(wire->trace, start, &total);
		wire->fraction = total;
		return;
	}
	wire->free_ns = start + total / wire->rate_bps;
	wire->fraction = total % wire->rate_bps;
}

static u64 airtcp_wire_delay(const struct airtcp_wire *wire, u64 departure)
{
	return wire->trace ? airtcp_wire_trace_delay(wire->trace, departure) : wire->delay_ns;
}

/* What is known of a frame when its departure is: that of the wire's last frame. */
static void airtcp_wire_depart_at(struct airtcp_wire *wire, struct sk_buff *skb)
{
	struct airtcp_wire_frame *frame = AIRTCP_WIRE_FRAME(skb);

	frame->departure = wire->free_ns;
	frame->arrival = AIRTCP_WIRE_NEVER;
	frame->lost = false;
	frame->received = false;
	if (wire->free_ns == AIRTCP_WIRE_NEVER)
		return;
	frame->arrival =
		max(wire->last_arrival_ns, wire->free_ns + airtcp_wire_delay(wire, wire->free_ns));
	frame->lost = wire->trace && airtcp_wire_trace_loses(wire->trace, wire->free_ns);
	if (!frame->lost) {
		wire->last_arrival_ns = frame->arrival;
		return;
	}
	wire->dev->stats.tx_dropped++;
	if (airtcp_wire_lost)
		airtcp_wire_lost(skb);
}

/* What would never have departed starts again now. */
void airtcp_wire_restart(struct airtcp_wire *wire)
{
	struct sk_buff *skb;

	if (wire->free_ns != AIRTCP_WIRE_NEVER)
		return;
	wire->free_ns = time_travel_now();
	skb_queue_walk(&wire->frames, skb) {
		if (AIRTCP_WIRE_FRAME(skb)->departure != AIRTCP_WIRE_NEVER)
			continue;
		if (airtcp_wire_has_rate(wire))
			airtcp_wire_serialise(wire, skb->len, wire->free_ns);
		airtcp_wire_depart_at(wire, skb);
	}
	airtcp_wire_arm_arrival(wire);
	/* It is due even if nothing needs its departures. */
	if (!wire->departure.pending)
		time_travel_add_event(&wire->departure, wire->free_ns);
}

static void airtcp_wire_count(struct airtcp_wire *wire, const struct sk_buff *skb)
{
	wire->dev->stats.tx_packets++;
	wire->dev->stats.tx_bytes += skb->len;
}

/* The packet is no longer charged to its socket. */
void airtcp_wire_uncharge(struct sk_buff *skb)
{
	struct sk_buff *packet = AIRTCP_WIRE_FRAME(skb)->packet;

	AIRTCP_WIRE_FRAME(skb)->packet = NULL;
	if (packet)
		consume_skb(packet);
	else
		skb_orphan(skb);
}

/* When the next frame starts. */
static u64 airtcp_wire_start(const struct airtcp_wire *wire)
{
	return wire->starting ? wire->free_ns : max_t(u64, wire->free_ns, time_travel_now());
}

/* Puts a frame on the wire; packet: that which it ends, if it is a segment. */
static void airtcp_wire_put(struct airtcp_wire *wire, struct sk_buff *skb, struct sk_buff *packet)
{
	const struct airtcp_wire *to = airtcp_wire_other(wire);
	u64 start = airtcp_wire_start(wire);

	airtcp_wire_count(wire, skb);
	AIRTCP_WIRE_FRAME(skb)->packet = packet;
	if (airtcp_wire_has_rate(wire)) {
		airtcp_wire_serialise(wire, skb->len, start);
		if (wire->trace && !wire->charged && wire->free_ns <= time_travel_now())
			airtcp_wire_uncharge(skb);
		else if (!wire->charged)
			wire->charged = skb;
	} else {
		wire->free_ns = start;
		airtcp_wire_uncharge(skb);
	}
	airtcp_wire_depart_at(wire, skb);
	if (wire->joins == AIRTCP_WIRE_LEAVES)
		airtcp_wire_leave(wire, skb);
	__skb_queue_tail(&wire->frames, skb);
	if (airtcp_wire_first(wire) == skb || (to && to->rx.frames))
		airtcp_wire_arm_arrival(wire);
}

/* Cuts a packet into frames. It keeps its charge: they have none. */
static struct sk_buff *airtcp_wire_segment(struct sk_buff *packet)
{
	void (*destructor)(struct sk_buff *skb) = packet->destructor;
	struct sock *sk = packet->sk;
	struct sk_buff *frames;

	packet->destructor = NULL;
	packet->sk = NULL;
	frames = skb_gso_segment(packet, packet->dev->features & ~NETIF_F_GSO_MASK);
	packet->destructor = destructor;
	packet->sk = sk;
	/* A silent loss would be a wrong result. */
	if (IS_ERR_OR_NULL(frames))
		panic("airtcp: a packet cannot be segmented: %ld", PTR_ERR(frames));
	return frames;
}

static void airtcp_wire_put_packet(struct airtcp_wire *wire, struct sk_buff *packet)
{
	struct sk_buff *skb, *next;

	if (!skb_is_gso(packet)) {
		airtcp_wire_put(wire, packet, NULL);
		return;
	}
	skb_list_walk_safe(airtcp_wire_segment(packet), skb, next) {
		skb_mark_not_on_list(skb);
		airtcp_wire_put(wire, skb, next ? NULL : packet);
	}
}

netdev_tx_t airtcp_wire_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	u64 start = airtcp_wire_start(wire);

	if (wire->joins == AIRTCP_WIRE_ENTERS) {
		kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	skb_tx_timestamp(skb);
	if (skb_queue_empty(&wire->frames) && !airtcp_wire_takes_time(wire) && !skb_is_gso(skb)) {
		airtcp_wire_count(wire, skb);
		skb_orphan(skb);
		skb = airtcp_wire_forward(wire, skb);
		if (skb)
			netif_rx(skb);
		return NETDEV_TX_OK;
	}
	if (airtcp_wire_has_rate(wire)) {
		netif_stop_queue(dev);
		if (skb_is_awaited(skb, dev))
			wire->awaited = true;
	}
	airtcp_wire_put_packet(wire, skb);
	/* At a time without a rate it is free again at once. */
	if (wire->trace && wire->free_ns == start)
		netif_start_queue(dev);
	airtcp_wire_arm_departure(wire);
	if (wire->watched && airtcp_wire_has_rate(wire))
		airtcp_wire_arm_look(wire);
	return NETDEV_TX_OK;
}
