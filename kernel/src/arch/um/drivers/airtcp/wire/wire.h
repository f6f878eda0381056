/* SPDX-License-Identifier: GPL-2.0 */
/* Wires, see device.h. A device that is no wire may be given to each of these. */
#ifndef __AIRTCP_WIRE_H
#define __AIRTCP_WIRE_H

#include <linux/netdevice.h>
#include <airtcp.h>

/* An observer is about to read the queue of the device. */
void airtcp_wire_observe(struct net_device *dev);

/* Frames that leave the queue of the device are captured from now on. */
void airtcp_wire_watch(struct net_device *dev);

/* The parts of a split network separate; the device may be a wire between them. */
void airtcp_wire_separate(struct net_device *dev);

/* Enters the function that the engine calls for wires between parts. */
void airtcp_wire_serve(struct airtcp_host *host);

#endif
