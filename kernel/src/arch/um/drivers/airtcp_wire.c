// SPDX-License-Identifier: GPL-2.0
/*
 * Wires: pairs of Ethernet devices, each end with a rate and a delay exact to the
 * nanosecond. Without both, a frame arrives at once.
 *
 * A frame occupies its end of the wire for its bits at the rate, from when the wire is
 * free; then it has departed, and it arrives at the other end after the delay. The
 * fraction of a nanosecond is carried from frame to frame as long as the wire
 * is busy. The device holds only the frame on the wire; others wait in the
 * queueing discipline above, which is stopped.
 *
 * Rate and delay may change over time, and frames may be lost (airtcp_wire_trace.c). A
 * frame that is lost occupies the wire like any other, and does not arrive. None
 * overtakes another: when the delay falls, a frame waits for the one before it.
 *
 * A device with segmentation offload (TSO) is given packets of several segments
 * and cuts them into frames, which occupy the wire one after the other. The
 * packet is charged to its socket until the last of them has departed.
 *
 * A device may moderate its interrupts: then frames that have arrived wait for one,
 * and all of them are received in one poll. GRO merges frames of one poll only.
 *
 * A wire may join the two parts of a split network (airtcp_parts.c). Its frames arrive
 * as buffers of their own. If another machine computes the receiver, a frame is given
 * to the engine when it is put on the wire; if another machine computes the sender, the
 * engine puts its frames on the wire.
 *
 * The only event for each frame is its arrival. What happens in between is
 * known in advance, so it is done when somebody looks: ndo_catch_up (patch
 * 0035) starts and ends what is due, at the times at which it was due.
 *
 *  - Before a packet is queued, before statistics are read, and before the queue is
 *    changed or emptied, frames that left a FIFO in the meantime are taken from it. Any
 *    other discipline decides by the time at which it is asked: it gets an event at each
 *    departure.
 *  - A wire that loses its rate is free when the frame on it has departed: an event, at
 *    which all that wait leave.
 *  - A departed frame is no longer charged to its socket (sk_wmem_alloc). TCP reads
 *    this charge, and catches up first, for small queues (tcp_small_queue_check),
 *    autocorking (tcp_push), retransmissions (skb_still_in_host_queue) and
 *    tcp_rate_check_app_limited, and in meminfo for programs. While it waits for
 *    a departure, each departure has an event, until the wire is idle.
 *  - Other readers of sk_wmem_alloc: sock_alloc_send_pskb, sock_wait_for_wmem,
 *    sock_writeable (poll, sock_def_write_space), __ip_append_data, ioctls,
 *    and packet rings by destructors, are for sockets other than TCP's. Their
 *    frames, and those that a socket sends by way of another device, have events from
 *    when they are queued (skb_is_awaited()). tcp_wfree tests for ksoftirqd,
 *    which never runs here; ooo_okay chooses among queues, of which there is one;
 *    the destructors of sockets only release memory; em_meta is not built.
 *  - Who is told when a frame starts is told then: departures have events while a frame
 *    waits whose socket asks for its time (SOF_TIMESTAMPING_TX_SOFTWARE), while a packet
 *    socket sees what the device sends, and while a program traces.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/airtcp_linux.h>
#include <linux/time-internal.h>
#include <net/gro.h>
#if AIRTCP_HAS_GSO_HEADER
#include <net/gso.h>
#endif
#include <net/pkt_sched.h>
#include <net/rtnetlink.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include "airtcp_engine.h"
#include "airtcp_parts.h"
#include "airtcp_wire.h"
#include "airtcp_wire_trace.h"

/* When the interrupt for received frames comes; all 0: at once. */
struct airtcp_wire_moderation {
	u64 interval_ns;    /* not before this time after the last one */
	u64 after_first_ns; /* not before this time after the first frame, or */
	u32 frames;	    /* when this many have arrived; 0: no such limit */
};

/* Whether a wire joins the parts of a split network, and which of its ends are computed here. */
enum airtcp_wire_joins {
	AIRTCP_WIRE_WITHIN,  /* it does not */
	AIRTCP_WIRE_BETWEEN, /* both */
	AIRTCP_WIRE_LEAVES,  /* this one, which sends */
	AIRTCP_WIRE_ENTERS,  /* the other one, which receives */
};

/* One end of a wire: a sender, and the receiver of what the other end sends. */
struct airtcp_wire {
	struct net_device *dev;
	struct net_device __rcu *peer;
	u64 rate_bps; /* 0: no serialisation */
	u64 delay_ns;
	struct airtcp_wire_trace *trace;    /* instead of both, if there is one */
	struct airtcp_wire_trace *incoming; /* of which steps are missing */
	struct sk_buff_head frames;	    /* that have not arrived, oldest first */
	struct sk_buff *charged;	    /* the first of them not known to have departed */
	u64 free_ns;	     /* when the last one has departed, or AIRTCP_WIRE_NEVER */
	u64 fraction;	     /* of a ns, in units of 1 / rate_bps */
	u64 last_arrival_ns; /* none overtakes another */
	bool starting;	     /* frames leave the queue at free_ns, not now */
	bool awaited;	     /* a socket waits for departures */
	bool watched;	     /* frames are captured as they leave the queue */
	bool opened;	     /* it has been up */
	enum airtcp_wire_joins joins;
	struct airtcp_wire_moderation rx;
	u64 polled_ns;		  /* when frames were received last */
	struct napi_struct gro;	  /* only merges: never scheduled */
	struct list_head due;	  /* in airtcp_wires_due */
	struct list_head between; /* in airtcp_wires_between */
	struct time_travel_event arrival;
	struct time_travel_event departure; /* as far as one is necessary */
	struct time_travel_event look;	    /* of the capture */
};

/* The driver's data of a frame. */
struct airtcp_wire_frame {
	u64 departure;
	u64 arrival;
	struct sk_buff *packet; /* of which it is the last segment, until it has departed */
	bool lost;		/* it does not arrive */
	bool received;		/* in a buffer of its own already */
};

#define AIRTCP_WIRE_FRAME(skb) ((struct airtcp_wire_frame *)(skb)->cb)

static LIST_HEAD(airtcp_wires_due);
static LIST_HEAD(airtcp_wires_between); /* parts */
static struct napi_struct airtcp_wire_napi;
static const struct net_device_ops airtcp_wire_ops;

/* The order in which frames leave does not depend on when they are asked for. */
static bool airtcp_wire_has_fifo(const struct net_device *dev)
{
	const struct Qdisc_ops *ops = rcu_dereference_raw(dev->_tx[0].qdisc)->ops;

	return ops == &pfifo_qdisc_ops || ops == &bfifo_qdisc_ops;
}

/* The other end, NULL if it is removed. */
static struct airtcp_wire *airtcp_wire_other(const struct airtcp_wire *wire)
{
	struct net_device *peer = rcu_dereference_raw(wire->peer);

	return peer ? netdev_priv(peer) : NULL;
}

static bool airtcp_wire_is_moderated(const struct airtcp_wire *wire)
{
	return wire->rx.interval_ns || wire->rx.after_first_ns;
}

/* Whether it has a rate, if only for some time. */
static bool airtcp_wire_has_rate(const struct airtcp_wire *wire)
{
	return wire->trace ? wire->trace->limits : wire->rate_bps;
}

/* Whether somebody must know of a departure when it happens. */
static bool airtcp_wire_is_awaited(const struct airtcp_wire *wire)
{
	return wire->awaited || !airtcp_wire_has_fifo(wire->dev) || dev_nit_active(wire->dev) ||
	       netdev_tracers;
}

/*
 * The arrival of the last frame is an event at its departure, unless there is a delay,
 * or was when this or an earlier frame departed, or the interrupt is moderated. An interrupt
 * that counts frames must know those that are on the wire.
 */
static bool airtcp_wire_needs_departures(const struct airtcp_wire *wire)
{
	const struct airtcp_wire *to = airtcp_wire_other(wire);

	if (to && to->rx.frames)
		return true;
	/* It had a rate: all that wait leave at once. */
	if (!airtcp_wire_has_rate(wire))
		return true;
	/* A frame that leaves this part does so when it starts: the other machine goes on. */
	if (wire->joins != AIRTCP_WIRE_WITHIN)
		return true;
	/* A frame that is lost has no arrival, after which the next would start. */
	if (wire->trace && wire->trace->loses)
		return true;
	return (wire->last_arrival_ns > wire->free_ns || wire->trace ||
		(to && airtcp_wire_is_moderated(to))) &&
	       airtcp_wire_is_awaited(wire);
}

/* Whether it becomes free, and not now. */
static bool airtcp_wire_becomes_free(const struct airtcp_wire *wire)
{
	return wire->free_ns > time_travel_now() && wire->free_ns != AIRTCP_WIRE_NEVER;
}

static void airtcp_wire_arm_departure(struct airtcp_wire *wire)
{
	if (airtcp_wire_needs_departures(wire) && !wire->departure.pending &&
	    airtcp_wire_becomes_free(wire))
		time_travel_add_event(&wire->departure, wire->free_ns);
}

/* The first frame on the wire that is not lost; NULL: there is none. */
static struct sk_buff *airtcp_wire_first(const struct airtcp_wire *wire)
{
	struct sk_buff *skb;

	skb_queue_walk(&wire->frames, skb) {
		if (!AIRTCP_WIRE_FRAME(skb)->lost)
			return skb;
	}
	return NULL;
}

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

static void airtcp_wire_arm_arrival(struct airtcp_wire *wire)
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
static void airtcp_wire_depart_at(struct airtcp_wire *wire, struct airtcp_wire_frame *frame)
{
	frame->departure = wire->free_ns;
	frame->arrival = AIRTCP_WIRE_NEVER;
	frame->lost = false;
	frame->received = false;
	if (wire->free_ns == AIRTCP_WIRE_NEVER)
		return;
	frame->arrival =
		max(wire->last_arrival_ns, wire->free_ns + airtcp_wire_delay(wire, wire->free_ns));
	frame->lost = wire->trace && airtcp_wire_trace_loses(wire->trace, wire->free_ns);
	if (frame->lost)
		wire->dev->stats.tx_dropped++;
	else
		wire->last_arrival_ns = frame->arrival;
}

/* The frame in a receive buffer of its own. */
static struct sk_buff *airtcp_wire_copy(struct net_device *peer, struct sk_buff *skb)
{
	struct airtcp_image image;
	struct sk_buff *copy;

	airtcp_image_of(skb, &image);
	copy = airtcp_image_receive(peer, &image);
	consume_skb(skb);
	return copy;
}

/* Makes it a frame received by the other end; NULL: it is not received here, and is freed. */
static struct sk_buff *airtcp_wire_forward(struct airtcp_wire *wire, struct sk_buff *skb)
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

static void airtcp_wire_count(struct airtcp_wire *wire, const struct sk_buff *skb)
{
	wire->dev->stats.tx_packets++;
	wire->dev->stats.tx_bytes += skb->len;
}

/* The packet is no longer charged to its socket. */
static void airtcp_wire_uncharge(struct sk_buff *skb)
{
	struct sk_buff *packet = AIRTCP_WIRE_FRAME(skb)->packet;

	AIRTCP_WIRE_FRAME(skb)->packet = NULL;
	if (packet)
		consume_skb(packet);
	else
		skb_orphan(skb);
}

/* Gives the frame to the machine that computes the receiver. */
static void airtcp_wire_leave(struct airtcp_wire *wire, struct sk_buff *skb)
{
	struct airtcp_image image;

	airtcp_image_of(skb, &image);
	airtcp_engine.wire_leaves(wire->dev->ifindex, AIRTCP_WIRE_FRAME(skb)->arrival,
				  time_travel_now(), &image);
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
	airtcp_wire_depart_at(wire, AIRTCP_WIRE_FRAME(skb));
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

static void airtcp_wire_arm_look(struct airtcp_wire *wire)
{
	if (airtcp_wire_becomes_free(wire) && !wire->look.pending)
		time_travel_add_event(&wire->look, wire->free_ns);
}

static netdev_tx_t airtcp_wire_start_xmit(struct sk_buff *skb, struct net_device *dev)
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

static void airtcp_wire_run_queue(struct Qdisc *q)
{
	bool locked = !(q->flags & TCQ_F_NOLOCK);

	if (locked)
		spin_lock(qdisc_lock(q));
	qdisc_run(q);
	if (locked)
		spin_unlock(qdisc_lock(q));
}

/* Starts the frames whose turn has come by then, each when the wire became free. */
static void airtcp_wire_start_due(struct airtcp_wire *wire, u64 until)
{
	struct Qdisc *q = rcu_dereference_raw(wire->dev->_tx[0].qdisc);

	while (netif_queue_stopped(wire->dev) && wire->free_ns <= until) {
		netif_start_queue(wire->dev);
		if (!qdisc_qlen_sum(q))
			break;
		wire->starting = airtcp_wire_has_fifo(wire->dev);
		/* Without a rate all that wait leave now, not only a quota of them. */
		do {
			airtcp_wire_run_queue(q);
		} while (wire->starting && !netif_queue_stopped(wire->dev) && qdisc_qlen_sum(q));
		wire->starting = false;
	}
}

/* Frames that have departed by then are no longer charged to their sockets. */
static void airtcp_wire_release(struct airtcp_wire *wire, u64 until)
{
	struct sk_buff *skb = wire->charged;

	while (skb && AIRTCP_WIRE_FRAME(skb)->departure <= until) {
		airtcp_wire_uncharge(skb);
		skb = skb_queue_is_last(&wire->frames, skb) ? NULL : skb->next;
	}
	wire->charged = skb;
}

static void airtcp_wire_advance(struct airtcp_wire *wire, u64 until)
{
	airtcp_wire_start_due(wire, until);
	airtcp_wire_release(wire, until);
}

/* ndo_catch_up: soft interrupts may be on. */
static void airtcp_wire_catch_up(struct net_device *dev, bool await)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	/* The queue is stopped while a frame is on the wire. */
	if (wire->starting || !(wire->charged || netif_queue_stopped(dev)))
		return;
	local_bh_disable();
	airtcp_wire_advance(wire, time_travel_now());
	if (await && wire->charged)
		wire->awaited = true;
	airtcp_wire_arm_departure(wire);
	local_bh_enable();
}

/*
 * An observer sees what was before anything of its instant. It wakes nobody: where
 * somebody waits for a departure, that had an event of its own.
 */
void airtcp_wire_observe(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	if (dev->netdev_ops == &airtcp_wire_ops)
		airtcp_wire_start_due(wire, time_travel_now() - 1);
}

void airtcp_wire_watch(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	if (dev->netdev_ops == &airtcp_wire_ops)
		wire->watched = true;
}

static bool airtcp_wire_is_now(const struct time_travel_event *event)
{
	return event->pending && event->time <= time_travel_now();
}

/*
 * An observer's event: a captured frame leaves the FIFO at its time, if no other event of
 * this instant lets it.
 */
static void airtcp_wire_look(struct time_travel_event *event)
{
	struct airtcp_wire *wire = container_of(event, struct airtcp_wire, look);

	if (airtcp_wire_has_fifo(wire->dev) && !airtcp_wire_is_now(&wire->departure) &&
	    !airtcp_wire_is_now(&wire->arrival))
		airtcp_wire_start_due(wire, time_travel_now());
	airtcp_wire_arm_look(wire);
}

static void airtcp_wire_is_due(struct airtcp_wire *wire)
{
	if (list_empty(&wire->due))
		list_add_tail(&wire->due, &airtcp_wires_due);
	napi_schedule_irqoff(&airtcp_wire_napi);
}

static void airtcp_wire_arrive(struct time_travel_event *event)
{
	airtcp_wire_is_due(container_of(event, struct airtcp_wire, arrival));
}

static void airtcp_wire_depart(struct time_travel_event *event)
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
	gro_normal_list(&to->gro);
}

/* Whether the interrupt for frames that have arrived has come. */
static bool airtcp_wire_is_interrupted(const struct airtcp_wire *wire, u64 now)
{
	return airtcp_wire_interrupt(wire) <= now;
}

/* Frees the frames that are lost, up to the first that is not; they have departed. */
static void airtcp_wire_discard_lost(struct airtcp_wire *wire, u64 now)
{
	struct sk_buff *skb;

	while ((skb = skb_peek(&wire->frames)) && AIRTCP_WIRE_FRAME(skb)->lost &&
	       AIRTCP_WIRE_FRAME(skb)->departure <= now) {
		__skb_unlink(skb, &wire->frames);
		kfree_skb(skb);
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

static int airtcp_wire_no_poll(struct napi_struct *napi, int budget)
{
	return 0;
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

void airtcp_wire_enter(unsigned int ifindex, u64 arrival, const struct airtcp_image *image)
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

static int airtcp_wire_open(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	if (!peer)
		return -ENOTCONN;
	/* At first it has the queue of the plan or none, see airtcp_wire_device_event(). */
	if (!wire->opened)
		dev->priv_flags |= IFF_NO_QUEUE;
	wire->opened = true;
	netif_start_queue(dev);
	if (peer->flags & IFF_UP) {
		netif_carrier_on(dev);
		netif_carrier_on(peer);
	}
	return 0;
}

static void airtcp_wire_purge(struct airtcp_wire *wire)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&wire->frames))) {
		if (!AIRTCP_WIRE_FRAME(skb)->lost)
			wire->dev->stats.tx_dropped++;
		airtcp_wire_uncharge(skb);
		kfree_skb(skb);
	}
	wire->charged = NULL;
	wire->last_arrival_ns = 0;
	/* A trace does not go back in time. */
	if (!wire->trace)
		wire->free_ns = min_t(u64, wire->free_ns, time_travel_now());
}

/*
 * Frames on the wire are lost, among them those that have left the queue by now: it was
 * emptied after they did (dev_deactivate_many()).
 */
static int airtcp_wire_stop(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	netif_carrier_off(dev);
	if (peer)
		netif_carrier_off(peer);
	netif_stop_queue(dev);
	local_bh_disable();
	time_travel_del_event(&wire->arrival);
	time_travel_del_event(&wire->departure);
	time_travel_del_event(&wire->look);
	list_del_init(&wire->due);
	wire->awaited = false;
	airtcp_wire_purge(wire);
	local_bh_enable();
	return 0;
}

/* What has left the queue by now was cut into frames by the features of its time. */
static int airtcp_wire_set_features(struct net_device *dev, netdev_features_t features)
{
	airtcp_wire_catch_up(dev, false);
	return 0;
}

static void airtcp_wire_get_stats(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	airtcp_wire_catch_up(dev, false);
	netdev_stats_to_stats64(stats, &dev->stats);
}

static int airtcp_wire_get_iflink(const struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rcu_dereference_raw(wire->peer);

	return peer ? peer->ifindex : 0;
}

static void airtcp_wire_set_trace(struct airtcp_wire *wire, struct airtcp_wire_trace *trace)
{
	airtcp_wire_trace_free(wire->trace);
	wire->trace = trace;
}

static void airtcp_wire_free(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	airtcp_wire_set_trace(wire, NULL);
	airtcp_wire_trace_free(wire->incoming);
}

static const struct net_device_ops airtcp_wire_ops = {
	.ndo_open = airtcp_wire_open,
	.ndo_stop = airtcp_wire_stop,
	.ndo_start_xmit = airtcp_wire_start_xmit,
	.ndo_catch_up = airtcp_wire_catch_up,
	.ndo_set_features = airtcp_wire_set_features,
	.ndo_get_stats64 = airtcp_wire_get_stats,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_get_iflink = airtcp_wire_get_iflink,
};

static void airtcp_wire_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "airtcp_wire", sizeof(info->driver));
}

static const struct ethtool_ops airtcp_wire_ethtool_ops = {
	.get_drvinfo = airtcp_wire_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_ts_info = ethtool_op_get_ts_info,
};

/* Those that Linux's drivers of Ethernet NICs commonly have. */
#define AIRTCP_WIRE_SEGMENTATION (NETIF_F_TSO | NETIF_F_TSO_ECN | NETIF_F_TSO6 | NETIF_F_GSO_UDP_L4)

static void airtcp_wire_setup(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	ether_setup(dev);
	dev->max_mtu = ETH_MAX_MTU;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	dev->netdev_ops = &airtcp_wire_ops;
	dev->ethtool_ops = &airtcp_wire_ethtool_ops;
	dev->features |= NETIF_F_HW_CSUM | NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HIGHDMA;
	dev->vlan_features = dev->features;
	/* Off at first: only a device of a host has them. */
	dev->hw_features = dev->features | AIRTCP_WIRE_SEGMENTATION;
	dev->needs_free_netdev = true;
	dev->priv_destructor = airtcp_wire_free;
	wire->dev = dev;
	__skb_queue_head_init(&wire->frames);
	netif_napi_add(dev, &wire->gro, airtcp_wire_no_poll);
	INIT_LIST_HEAD(&wire->due);
	time_travel_set_event_fn(&wire->arrival, airtcp_wire_arrive);
	time_travel_set_event_fn(&wire->departure, airtcp_wire_depart);
	time_travel_set_event_fn(&wire->look, airtcp_wire_look);
	wire->look.observer = true;
}

static const struct nla_policy airtcp_wire_policy[AIRTCP_WIRE_ATTRIBUTES] = {
	[AIRTCP_WIRE_PEER] = { .len = sizeof(struct ifinfomsg) },
	[AIRTCP_WIRE_RATE] = { .type = NLA_U64 },
	[AIRTCP_WIRE_DELAY] = { .type = NLA_U64 },
	[AIRTCP_WIRE_RX_INTERVAL] = { .type = NLA_U64 },
	[AIRTCP_WIRE_RX_AFTER_FIRST] = { .type = NLA_U64 },
	[AIRTCP_WIRE_RX_FRAMES] = { .type = NLA_U32 },
	[AIRTCP_WIRE_TRACE] = { .len = sizeof(struct airtcp_wire_trace_info) },
	[AIRTCP_WIRE_STEPS] = { .type = NLA_BINARY },
};

static void airtcp_wire_moderate(struct airtcp_wire_moderation *rx, struct nlattr *data[])
{
	if (data[AIRTCP_WIRE_RX_INTERVAL])
		rx->interval_ns = nla_get_u64(data[AIRTCP_WIRE_RX_INTERVAL]);
	if (data[AIRTCP_WIRE_RX_AFTER_FIRST])
		rx->after_first_ns = nla_get_u64(data[AIRTCP_WIRE_RX_AFTER_FIRST]);
	if (data[AIRTCP_WIRE_RX_FRAMES])
		rx->frames = nla_get_u32(data[AIRTCP_WIRE_RX_FRAMES]);
}

/* What would never have departed starts again now. */
static void airtcp_wire_restart(struct airtcp_wire *wire)
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
		airtcp_wire_depart_at(wire, AIRTCP_WIRE_FRAME(skb));
	}
	airtcp_wire_arm_arrival(wire);
	/* It is due even if nothing needs its departures. */
	if (!wire->departure.pending)
		time_travel_add_event(&wire->departure, wire->free_ns);
}

/* The first message about a trace says what it is; its steps come in this and further ones. */
static int airtcp_wire_receive_trace(struct airtcp_wire *wire, struct nlattr *data[])
{
	struct nlattr *steps = data[AIRTCP_WIRE_STEPS];

	if (data[AIRTCP_WIRE_TRACE]) {
		airtcp_wire_trace_free(wire->incoming);
		wire->incoming = airtcp_wire_trace_new(nla_data(data[AIRTCP_WIRE_TRACE]));
	}
	if (!steps)
		return 0;
	if (!wire->incoming || nla_len(steps) % sizeof(struct airtcp_wire_step))
		return -EINVAL;
	if (!airtcp_wire_trace_add(wire->incoming, nla_data(steps),
				   nla_len(steps) / sizeof(struct airtcp_wire_step)))
		return -ERANGE;
	if (airtcp_wire_trace_is_whole(wire->incoming)) {
		airtcp_wire_set_trace(wire, wire->incoming);
		wire->incoming = NULL;
	}
	return 0;
}

/* What was no event before a change may have to be one now. */
static void airtcp_wire_rearm(struct airtcp_wire *wire)
{
	airtcp_wire_arm_arrival(wire);
	airtcp_wire_arm_departure(wire);
}

/*
 * How the device sends and receives from now on; frames on the wire arrive as they would have.
 * A rate or a delay ends a trace.
 */
static int airtcp_wire_change(struct net_device *dev, struct nlattr *tb[], struct nlattr *data[],
			      struct netlink_ext_ack *extack)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	int err;

	if (!data)
		return 0;
	airtcp_wire_catch_up(dev, false);
	if (data[AIRTCP_WIRE_RATE])
		wire->rate_bps = nla_get_u64(data[AIRTCP_WIRE_RATE]);
	if (data[AIRTCP_WIRE_DELAY])
		wire->delay_ns = nla_get_u64(data[AIRTCP_WIRE_DELAY]);
	wire->fraction = 0;
	local_bh_disable();
	if (wire->trace && (data[AIRTCP_WIRE_RATE] || data[AIRTCP_WIRE_DELAY])) {
		airtcp_wire_set_trace(wire, NULL);
		airtcp_wire_restart(wire);
	}
	airtcp_wire_moderate(&wire->rx, data);
	local_bh_enable();
	err = airtcp_wire_receive_trace(wire, data);
	local_bh_disable();
	airtcp_wire_rearm(wire);
	if (airtcp_wire_other(wire))
		airtcp_wire_rearm(airtcp_wire_other(wire));
	local_bh_enable();
	return err;
}

static struct rtnl_link_ops airtcp_wire_link_ops;

/* The other end, by the attributes of a link that AIRTCP_WIRE_PEER contains. */
static struct net_device *airtcp_wire_add_peer(struct net *src_net, struct nlattr *nested,
					       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct ifinfomsg *info = nla_data(nested);
	struct net_device *peer;
	struct net *net;
	char name[IFNAMSIZ];
	int err = rtnl_nla_parse_ifinfomsg(tb, nested, extack);

	if (err < 0)
		return ERR_PTR(err);
	if (!tb[IFLA_IFNAME] || !tb[IFLA_ADDRESS])
		return ERR_PTR(-EINVAL);
	nla_strscpy(name, tb[IFLA_IFNAME], IFNAMSIZ);
	net = rtnl_link_get_net(src_net, tb);
	if (IS_ERR(net))
		return ERR_CAST(net);
	peer = rtnl_create_link(net, name, NET_NAME_USER, &airtcp_wire_link_ops, tb, extack);
	if (IS_ERR(peer)) {
		put_net(net);
		return peer;
	}
	peer->ifindex = info->ifi_index;
	err = register_netdevice(peer);
	put_net(net);
	if (err < 0) {
		free_netdev(peer);
		return ERR_PTR(err);
	}
	netif_carrier_off(peer);
	err = rtnl_configure_link(peer, info, 0, NULL);
	if (err < 0) {
		unregister_netdevice(peer);
		return ERR_PTR(err);
	}
	return peer;
}

static int airtcp_wire_newlink(struct net *src_net, struct net_device *dev, struct nlattr *tb[],
			       struct nlattr *data[], struct netlink_ext_ack *extack)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer;
	int err;

	if (!data || !data[AIRTCP_WIRE_PEER] || !tb[IFLA_ADDRESS])
		return -EINVAL;
	peer = airtcp_wire_add_peer(src_net, data[AIRTCP_WIRE_PEER], extack);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	err = register_netdevice(dev);
	if (err < 0) {
		unregister_netdevice(peer);
		return err;
	}
	netif_carrier_off(dev);
	rcu_assign_pointer(wire->peer, peer);
	wire = netdev_priv(peer);
	rcu_assign_pointer(wire->peer, dev);
	return airtcp_wire_change(dev, tb, data, extack);
}

static void airtcp_wire_dellink(struct net_device *dev, struct list_head *head)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	RCU_INIT_POINTER(wire->peer, NULL);
	unregister_netdevice_queue(dev, head);
	if (peer) {
		wire = netdev_priv(peer);
		RCU_INIT_POINTER(wire->peer, NULL);
		unregister_netdevice_queue(peer, head);
	}
}

static size_t airtcp_wire_get_size(const struct net_device *dev)
{
	return 4 * nla_total_size_64bit(sizeof(u64)) + nla_total_size(sizeof(u32)) +
	       nla_total_size(sizeof(struct airtcp_wire_trace_info));
}

static int airtcp_wire_fill_info(struct sk_buff *skb, const struct net_device *dev)
{
	const struct airtcp_wire *wire = netdev_priv(dev);

	if (nla_put_u64_64bit(skb, AIRTCP_WIRE_RATE, wire->rate_bps, AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u64_64bit(skb, AIRTCP_WIRE_DELAY, wire->delay_ns, AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u64_64bit(skb, AIRTCP_WIRE_RX_INTERVAL, wire->rx.interval_ns,
			      AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u64_64bit(skb, AIRTCP_WIRE_RX_AFTER_FIRST, wire->rx.after_first_ns,
			      AIRTCP_WIRE_UNSPEC) ||
	    nla_put_u32(skb, AIRTCP_WIRE_RX_FRAMES, wire->rx.frames))
		return -EMSGSIZE;
	if (wire->trace &&
	    nla_put(skb, AIRTCP_WIRE_TRACE, sizeof(wire->trace->info), &wire->trace->info))
		return -EMSGSIZE;
	return 0;
}

static struct net *airtcp_wire_get_link_net(const struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);
	struct net_device *peer = rtnl_dereference(wire->peer);

	return peer ? dev_net(peer) : dev_net(dev);
}

static struct rtnl_link_ops airtcp_wire_link_ops = {
	.kind = "airtcp_wire",
	.priv_size = sizeof(struct airtcp_wire),
	.setup = airtcp_wire_setup,
	.newlink = airtcp_wire_newlink,
	.changelink = airtcp_wire_change,
	.dellink = airtcp_wire_dellink,
	.policy = airtcp_wire_policy,
	.maxtype = AIRTCP_WIRE_ATTRIBUTES - 1,
	.get_size = airtcp_wire_get_size,
	.fill_info = airtcp_wire_fill_info,
	.get_link_net = airtcp_wire_get_link_net,
};

/*
 * A wire that is up has the queue of the plan, or none. From now on it is an Ethernet device, which
 * may stop its queue: if its discipline is deleted, it gets Linux's default, not noqueue.
 */
static int airtcp_wire_device_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);

	if (event == NETDEV_UP && dev->netdev_ops == &airtcp_wire_ops)
		dev->priv_flags &= ~IFF_NO_QUEUE;
	return NOTIFY_DONE;
}

static struct notifier_block airtcp_wire_notifier = { .notifier_call = airtcp_wire_device_event };

static int __init airtcp_wire_init(void)
{
	struct net_device *napi_dev = airtcp_napi_dev();
	int err;

	if (!napi_dev)
		return -ENOMEM;
	netif_napi_add(napi_dev, &airtcp_wire_napi, airtcp_wire_poll);
	napi_enable(&airtcp_wire_napi);
	err = register_netdevice_notifier(&airtcp_wire_notifier);
	return err ? err : rtnl_link_register(&airtcp_wire_link_ops);
}
late_initcall(airtcp_wire_init);
