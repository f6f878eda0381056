/* SPDX-License-Identifier: GPL-2.0 */
/* The two parts of a split network, see parts.c. */
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

/* separate_device: called for each device, which may be any, when the parts separate. */
void airtcp_parts_init(void (*separate_device)(struct net_device *dev));

#endif
