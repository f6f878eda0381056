/* SPDX-License-Identifier: GPL-2.0 */
/* Wires, see device.h. A device that is no wire may be given to each of these. */
#ifndef __AIRTCP_WIRE_H
#define __AIRTCP_WIRE_H

#include <linux/netdevice.h>
#include <airtcp.h>

/* An observer is about to read the queue of the device. */
void airtcp_wire_observe(struct net_device *dev);

/* Each departure from the queue of the device will be an instant, until it is idle. */
void airtcp_wire_await_departures(struct net_device *dev);

/* lost: called when a wire loses a frame, which starts on it now. */
void airtcp_wire_loses_to(void (*lost)(const struct sk_buff *skb));

/* Whether what is freed now are frames of whose loss has been told. */
bool airtcp_wire_discards(void);

/* Frames that leave the queue of the device are captured from now on. */
void airtcp_wire_watch(struct net_device *dev);

/* The parts of a split network separate; the device may be a wire between them. */
void airtcp_wire_separate(struct net_device *dev);

/* Enters the function that the engine calls for wires between parts. */
void airtcp_wire_serve(struct airtcp_host *host);

#endif
