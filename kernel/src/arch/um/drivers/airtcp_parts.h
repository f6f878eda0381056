/* SPDX-License-Identifier: GPL-2.0 */
/* The two parts of a split network, see airtcp_parts.c. */
#ifndef __AIRTCP_PARTS_H
#define __AIRTCP_PARTS_H

#include <linux/netdevice.h>
#include <airtcp.h>

/*
 * The order of events of one instant, if the network is split: all that are not named here
 * come first. Frames of wires between parts come last, in the order of their devices.
 */
#define AIRTCP_RANK_TIMERS 1
#define AIRTCP_RANK_WHEELS 2
#define AIRTCP_RANK_ENGINE 3
#define AIRTCP_RANK_WIRES  4 /* plus the index of the device */

/* Whether another machine computes this host. */
bool airtcp_is_elsewhere(const struct net *net);

/* The part of a host; AIRTCP_NONE: it is in both, as the machine itself. */
unsigned int airtcp_part_of(const struct net *net);

void airtcp_parts_init(void);

/* airtcp_wire.c: the parts separate; the device, which may be any, may be a wire between them. */
void airtcp_wire_separate(struct net_device *dev);

/* airtcp_wire.c: a frame that another machine has sent arrives at this time. */
void airtcp_wire_enter(unsigned int ifindex, u64 arrival, const struct airtcp_image *image);

/* airtcp_nic.c */
void airtcp_nic_separate(void);

/*
 * airtcp_image.c: what a frame consists of, and a receive buffer with that. The frame may be
 * made linear; the image is valid as long as the frame is.
 */
void airtcp_image_of(struct sk_buff *skb, struct airtcp_image *image);
struct sk_buff *airtcp_image_receive(struct net_device *dev, const struct airtcp_image *image);

#endif
