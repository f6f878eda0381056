// SPDX-License-Identifier: GPL-2.0
/*
 * Rate, delay and loss of a wire that change over time.
 *
 * The steps are known in advance, so nothing happens when one begins: a frame's
 * departure is computed over as many of them as it takes. The bits of frames that
 * follow each other are the integral of the rate, to the nanosecond.
 *
 * Frame number n of an end is lost if SipHash-2-4 of n, with the key of this end,
 * is less than the probability (in 64 bits, of which the first 53 count). So
 * it depends on nothing but the plan whether a frame of this number is lost.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include "trace.h"

/* One step a millisecond for 10 minutes, as scenarios may have, and one for what was before. */
#define AIRTCP_WIRE_STEPS_MAX 600001

struct airtcp_wire_trace *airtcp_wire_trace_new(const struct airtcp_wire_trace_info *info)
{
	struct airtcp_wire_trace *trace;

	if (!info->steps || info->steps > AIRTCP_WIRE_STEPS_MAX)
		return NULL;
	trace = kvzalloc(struct_size(trace, steps, info->steps), GFP_KERNEL_ACCOUNT);
	if (!trace)
		return NULL;
	trace->info = *info;
	trace->key = (siphash_key_t){ { info->key[0], info->key[1] } };
	trace->lap_ns = info->start_ns;
	return trace;
}

void airtcp_wire_trace_free(struct airtcp_wire_trace *trace)
{
	kvfree(trace);
}

/* When the current step ends. */
static u64 airtcp_wire_trace_step_end(const struct airtcp_wire_trace *trace)
{
	if (trace->at + 1 < trace->count)
		return trace->lap_ns + trace->steps[trace->at + 1].time_ns;
	return trace->info.period_ns ? trace->lap_ns + trace->info.period_ns : AIRTCP_WIRE_NEVER;
}

/* The next step; there is one. */
static void airtcp_wire_trace_next(struct airtcp_wire_trace *trace)
{
	if (++trace->at < trace->count)
		return;
	trace->at = 0;
	trace->lap_ns += trace->info.period_ns;
}

/* What a step does until another time of its lap. */
static u64 airtcp_wire_trace_work(const struct airtcp_wire_step *step, u64 end)
{
	u64 work;

	/* An unlimited rate overflows too. */
	if (check_mul_overflow(step->rate_bps, end - step->time_ns, &work))
		return U64_MAX;
	return work;
}

static void airtcp_wire_trace_finish(struct airtcp_wire_trace *trace)
{
	u64 n;

	for (n = 0; n < trace->count; n++) {
		const struct airtcp_wire_step *step = &trace->steps[n];
		u64 end = n + 1 < trace->count ? step[1].time_ns : trace->info.period_ns;

		trace->limits |= step->rate_bps != AIRTCP_WIRE_UNLIMITED;
		trace->loses |= step->loss > 0;
		if (trace->info.period_ns && step->rate_bps) {
			u64 work = airtcp_wire_trace_work(step, end);

			if (check_add_overflow(trace->lap_work, work, &trace->lap_work))
				trace->lap_work = U64_MAX;
		}
	}
}

bool airtcp_wire_trace_add(struct airtcp_wire_trace *trace, const struct airtcp_wire_step *steps,
			   size_t count)
{
	size_t n;

	if (count > trace->info.steps - trace->count)
		return false;
	for (n = 0; n < count; n++) {
		u64 last = trace->count ? trace->steps[trace->count - 1].time_ns : 0;

		if (trace->count ? steps[n].time_ns <= last : steps[n].time_ns)
			return false;
		if (trace->info.period_ns && steps[n].time_ns >= trace->info.period_ns)
			return false;
		trace->steps[trace->count++] = steps[n];
	}
	if (airtcp_wire_trace_is_whole(trace))
		airtcp_wire_trace_finish(trace);
	return true;
}

static const struct airtcp_wire_step *airtcp_wire_trace_seek(struct airtcp_wire_trace *trace,
							     u64 time)
{
	u64 period = trace->info.period_ns;

	if (period && time >= trace->lap_ns + period) {
		trace->lap_ns += (time - trace->lap_ns) / period * period;
		trace->at = 0;
	}
	while (airtcp_wire_trace_step_end(trace) <= time)
		airtcp_wire_trace_next(trace);
	return &trace->steps[trace->at];
}

/* Skips laps that are too short for the work; false: it never ends. */
static bool airtcp_wire_trace_skip_laps(struct airtcp_wire_trace *trace, u64 *work)
{
	u64 laps, time;

	if (*work <= trace->lap_work)
		return true;
	if (!trace->lap_work)
		return false;
	laps = (*work - 1) / trace->lap_work;
	if (check_mul_overflow(laps, trace->info.period_ns, &time) || time > S64_MAX / 2)
		return false;
	trace->lap_ns += time;
	*work -= laps * trace->lap_work;
	return true;
}

u64 airtcp_wire_trace_depart(struct airtcp_wire_trace *trace, u64 start, u64 *work)
{
	const struct airtcp_wire_step *step = airtcp_wire_trace_seek(trace, start);
	u64 left = *work;

	for (;;) {
		u64 end = airtcp_wire_trace_step_end(trace);

		*work = 0;
		if (step->rate_bps == AIRTCP_WIRE_UNLIMITED)
			return start;
		if (step->rate_bps) {
			u64 takes = left / step->rate_bps;
			u64 rest = left % step->rate_bps;

			if (takes < end - start || (takes == end - start && !rest)) {
				*work = rest;
				return start + takes;
			}
			left -= step->rate_bps * (end - start);
		}
		if (end == AIRTCP_WIRE_NEVER)
			return AIRTCP_WIRE_NEVER;
		airtcp_wire_trace_next(trace);
		if (!trace->at && !airtcp_wire_trace_skip_laps(trace, &left))
			return AIRTCP_WIRE_NEVER;
		step = &trace->steps[trace->at];
		start = trace->lap_ns + step->time_ns;
	}
}

u64 airtcp_wire_trace_delay(struct airtcp_wire_trace *trace, u64 departure)
{
	return airtcp_wire_trace_seek(trace, departure)->delay_ns;
}

bool airtcp_wire_trace_loses(struct airtcp_wire_trace *trace, u64 departure)
{
	const struct airtcp_wire_step *step = airtcp_wire_trace_seek(trace, departure);
	u64 draw = siphash_1u64(trace->frames++, &trace->key);

	return draw >> (64 - AIRTCP_WIRE_LOSS_BITS) < step->loss;
}
