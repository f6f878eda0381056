// SPDX-License-Identifier: GPL-2.0
/*
 * Departures. They are known in advance, so what happens at one is done when somebody
 * looks: ndo_catch_up (patch 0035) starts and ends what is due, at the times at which it
 * was due.
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
#include <net/pkt_sched.h>
#include <net/sch_generic.h>
#include "device.h"
#include "wire.h"

/* The order in which frames leave does not depend on when they are asked for. */
static bool airtcp_wire_has_fifo(const struct net_device *dev)
{
	const struct Qdisc_ops *ops = rcu_dereference_raw(dev->_tx[0].qdisc)->ops;

	return ops == &pfifo_qdisc_ops || ops == &bfifo_qdisc_ops;
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

void airtcp_wire_arm_departure(struct airtcp_wire *wire)
{
	if (airtcp_wire_needs_departures(wire) && !wire->departure.pending &&
	    airtcp_wire_becomes_free(wire))
		time_travel_add_event(&wire->departure, wire->free_ns);
}

void airtcp_wire_arm_look(struct airtcp_wire *wire)
{
	if (airtcp_wire_becomes_free(wire) && !wire->look.pending)
		time_travel_add_event(&wire->look, wire->free_ns);
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

void airtcp_wire_advance(struct airtcp_wire *wire, u64 until)
{
	airtcp_wire_start_due(wire, until);
	airtcp_wire_release(wire, until);
}

/* ndo_catch_up: soft interrupts may be on. */
void airtcp_wire_catch_up(struct net_device *dev, bool await)
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

void airtcp_wire_await_departures(struct net_device *dev)
{
	struct airtcp_wire *wire = netdev_priv(dev);

	if (dev->netdev_ops == &airtcp_wire_ops && airtcp_wire_has_rate(wire))
		airtcp_wire_arm_look(wire);
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
void airtcp_wire_look(struct time_travel_event *event)
{
	struct airtcp_wire *wire = container_of(event, struct airtcp_wire, look);

	if (airtcp_wire_has_fifo(wire->dev) && !airtcp_wire_is_now(&wire->departure) &&
	    !airtcp_wire_is_now(&wire->arrival))
		airtcp_wire_start_due(wire, time_travel_now());
	airtcp_wire_arm_look(wire);
}
