/* SPDX-License-Identifier: GPL-2.0 */
/* The attributes of wires. The agent has the same. */
#ifndef __AIRTCP_WIRE_RTNL_H
#define __AIRTCP_WIRE_RTNL_H

/* IFLA_INFO_DATA of the link kind "airtcp_wire", of the end that a request names. */
enum {
	AIRTCP_WIRE_UNSPEC,
	AIRTCP_WIRE_PEER,  /* struct ifinfomsg and the attributes of the other end */
	AIRTCP_WIRE_RATE,  /* u64, bits of Ethernet frames without FCS per second; 0: no limit */
	AIRTCP_WIRE_DELAY, /* u64, ns */
	/* Moderation of the interrupts for frames that this end receives; all 0: none. */
	AIRTCP_WIRE_RX_INTERVAL,    /* u64, ns from one interrupt to the next, at least */
	AIRTCP_WIRE_RX_AFTER_FIRST, /* u64, ns from the first frame to the interrupt, at most */
	AIRTCP_WIRE_RX_FRAMES,	    /* u32, frames that raise it earlier; 0: no number does */
	/* Rate, delay and loss over time, until another rate or delay is set. */
	AIRTCP_WIRE_TRACE, /* struct airtcp_wire_trace_info */
	AIRTCP_WIRE_STEPS, /* its next steps, each a struct airtcp_wire_step */
	AIRTCP_WIRE_ATTRIBUTES,
};

#endif
