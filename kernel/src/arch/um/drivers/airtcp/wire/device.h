/* SPDX-License-Identifier: GPL-2.0 */
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
 * Rate and delay may change over time, and frames may be lost (trace.c). A frame that is
 * lost occupies the wire like any other, and does not arrive. None overtakes another: when
 * the delay falls, a frame waits for the one before it.
 *
 * A device with segmentation offload (TSO) is given packets of several segments
 * and cuts them into frames, which occupy the wire one after the other. The
 * packet is charged to its socket until the last of them has departed.
 *
 * A device may moderate its interrupts: then frames that have arrived wait for one,
 * and all of them are received in one poll. GRO merges frames of one poll only.
 *
 * A wire may join the two parts of a split network (parts.c).
 *
 * The only event for each frame is its arrival. What happens in between is
 * known in advance, so it is done when somebody looks (catch_up.c).
 */
#ifndef __AIRTCP_WIRE_DEVICE_H
#define __AIRTCP_WIRE_DEVICE_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/time-internal.h>
#include <net/rtnetlink.h>
#include <airtcp.h>
#include "trace.h"

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

/* The other end, NULL if it is removed. */
static inline struct airtcp_wire *airtcp_wire_other(const struct airtcp_wire *wire)
{
	struct net_device *peer = rcu_dereference_raw(wire->peer);

	return peer ? netdev_priv(peer) : NULL;
}

static inline bool airtcp_wire_is_moderated(const struct airtcp_wire *wire)
{
	return wire->rx.interval_ns || wire->rx.after_first_ns;
}

/* Whether it has a rate, if only for some time. */
static inline bool airtcp_wire_has_rate(const struct airtcp_wire *wire)
{
	return wire->trace ? wire->trace->limits : wire->rate_bps;
}

/* The first frame on the wire that is not lost; NULL: there is none. */
static inline struct sk_buff *airtcp_wire_first(const struct airtcp_wire *wire)
{
	struct sk_buff *skb;

	skb_queue_walk(&wire->frames, skb) {
		if (!AIRTCP_WIRE_FRAME(skb)->lost)
			return skb;
	}
	return NULL;
}

/* device.c */
extern const struct net_device_ops airtcp_wire_ops;
void airtcp_wire_setup(struct net_device *dev);
void airtcp_wire_set_trace(struct airtcp_wire *wire, struct airtcp_wire_trace *trace);

/* rtnl.c */
extern struct rtnl_link_ops airtcp_wire_link_ops;

/* send.c */
netdev_tx_t airtcp_wire_start_xmit(struct sk_buff *skb, struct net_device *dev);
void airtcp_wire_uncharge(struct sk_buff *skb);
void airtcp_wire_restart(struct airtcp_wire *wire);

/* catch_up.c */
void airtcp_wire_advance(struct airtcp_wire *wire, u64 until);
void airtcp_wire_arm_departure(struct airtcp_wire *wire);
void airtcp_wire_arm_look(struct airtcp_wire *wire);
void airtcp_wire_catch_up(struct net_device *dev, bool await);
void airtcp_wire_look(struct time_travel_event *event);

/* receive.c */
int airtcp_wire_receive_init(void);
int airtcp_wire_no_poll(struct napi_struct *napi, int budget);
void airtcp_wire_arrive(struct time_travel_event *event);
void airtcp_wire_depart(struct time_travel_event *event);
void airtcp_wire_arm_arrival(struct airtcp_wire *wire);
struct sk_buff *airtcp_wire_forward(struct airtcp_wire *wire, struct sk_buff *skb);

/* parts.c */
void airtcp_wire_leave(struct airtcp_wire *wire, struct sk_buff *skb);
struct sk_buff *airtcp_wire_copy(struct net_device *peer, struct sk_buff *skb);

#endif
