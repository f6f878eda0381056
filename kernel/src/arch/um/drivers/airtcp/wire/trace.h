/* SPDX-License-Identifier: GPL-2.0 */
/* Rate, delay and loss of a wire that change over time, see trace.c. */
#ifndef __AIRTCP_WIRE_TRACE_H
#define __AIRTCP_WIRE_TRACE_H

#include <linux/siphash.h>
#include <linux/types.h>

/* A rate at which frames take no time. */
#define AIRTCP_WIRE_UNLIMITED U64_MAX
/* A time that does not come. */
#define AIRTCP_WIRE_NEVER U64_MAX
/* Bits of a probability: 1 is 1 << 53. */
#define AIRTCP_WIRE_LOSS_BITS 53

/* From its time on, until that of the next step. In attributes of netlink too. */
struct airtcp_wire_step {
	u64 time_ns;  /* since the start of the trace */
	u64 rate_bps; /* 0: nothing is sent meanwhile; or AIRTCP_WIRE_UNLIMITED */
	u64 delay_ns;
	u64 loss; /* of a frame that departs meanwhile */
};

/* What a trace is besides its steps. In attributes of netlink too. */
struct airtcp_wire_trace_info {
	u64 start_ns;  /* in virtual time; before it, the first step holds */
	u64 period_ns; /* after which the steps begin again; 0: the last one holds for ever */
	u64 key[2];    /* of the losses */
	u64 steps;     /* the first of them is at 0 */
};

struct airtcp_wire_trace {
	struct airtcp_wire_trace_info info;
	siphash_key_t key;
	u64 frames;   /* that have departed */
	u64 lap_work; /* of all steps together, in bits times 10^9, at most U64_MAX */
	bool limits;  /* a step has a rate */
	bool loses;   /* a step has a loss */
	u64 count;    /* of steps that are known */
	u64 at;	      /* the step of the last time that was asked for */
	u64 lap_ns;   /* when the steps began before that time */
	struct airtcp_wire_step steps[];
};

/* A trace without steps. NULL: no such trace, or no memory. */
struct airtcp_wire_trace *airtcp_wire_trace_new(const struct airtcp_wire_trace_info *info);

/* Adds the next steps; false: they are none of this trace. */
bool airtcp_wire_trace_add(struct airtcp_wire_trace *trace, const struct airtcp_wire_step *steps,
			   size_t count);

static inline bool airtcp_wire_trace_is_whole(const struct airtcp_wire_trace *trace)
{
	return trace->count == trace->info.steps;
}

void airtcp_wire_trace_free(struct airtcp_wire_trace *trace);

/* Times that are asked for never fall. */

/*
 * When the wire has done this work, in bits times 10^9, that it begins at a time. Leaves
 * the work that it would have done in the fraction of a nanosecond that is cut off.
 */
u64 airtcp_wire_trace_depart(struct airtcp_wire_trace *trace, u64 start, u64 *work);

/* The delay of a frame that departs at this time. */
u64 airtcp_wire_trace_delay(struct airtcp_wire_trace *trace, u64 departure);

/* Whether the next frame, which departs at this time, is lost. */
bool airtcp_wire_trace_loses(struct airtcp_wire_trace *trace, u64 departure);

#endif
