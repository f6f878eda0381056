// SPDX-License-Identifier: GPL-2.0
/*
 * Samples in virtual time and without a process: the cost of a sample is that of reading
 * counters. They are taken by an event of the calendar that is no interrupt (see
 * time_travel_observe()) and wakes no process.
 */
#include <linux/rtnetlink.h>
#include <linux/time-internal.h>
#include "../engine/engine.h"
#include "../radio/radio.h"
#include "../session/session.h"
#include "observed.h"

/* A series of samples, at multiples of its interval after the first instant. */
struct airtcp_series {
	u64 interval_ns; /* 0 for none */
	u64 next_ns;
	void (*sample)(u64 time);
};

static struct airtcp_series airtcp_series[] = {
	{ .sample = airtcp_sample_flows },
	{ .sample = airtcp_sample_qdiscs },
	{ .sample = airtcp_sample_stations },
	{ .sample = airtcp_sample_rates },
};

static struct time_travel_event airtcp_sampling;

static void airtcp_set_intervals(void)
{
	u64 intervals_ns[ARRAY_SIZE(airtcp_series)] = {
		airtcp_selection.flows_interval_ns,
		airtcp_selection.qdiscs_interval_ns,
		airtcp_selection.stations_interval_ns,
		airtcp_selection.rates_interval_ns,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++) {
		struct airtcp_series *series = &airtcp_series[i];

		series->interval_ns = intervals_ns[i];
		series->next_ns = series->interval_ns ?
					  airtcp_selection.first_ns + series->interval_ns :
					  U64_MAX;
	}
}

static u64 airtcp_next_sample(void)
{
	u64 next = U64_MAX;
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++)
		next = min(next, airtcp_series[i].next_ns);
	return next;
}

extern ktime_t tick_next_period; /* kernel/time/tick-internal.h */

/* Ticks that have passed but are not counted yet, because the CPU was idle. */
static u64 airtcp_uncounted_ticks(void)
{
	s64 late_ns = ktime_to_ns(ktime_sub(ktime_get(), tick_next_period));

	return late_ns < 0 ? 0 : 1 + late_ns / TICK_NSEC;
}

/*
 * Samples the state of the machine. With interrupts off, no clock advances when it
 * is read; pending soft interrupts stay pending; the jiffies, from which
 * tcp_info computes ages, are those of this instant during the sample. Data that
 * requires the RTNL does not change meanwhile, whichever process holds it.
 */
struct airtcp_sample_state airtcp_sampling_begin(void)
{
	struct airtcp_sample_state state;

	local_irq_save(state.flags);
	__local_bh_disable_ip(_THIS_IP_, SOFTIRQ_DISABLE_OFFSET);
	state.own_rtnl = rtnl_trylock();
	state.ticks = airtcp_uncounted_ticks();
	jiffies_64 += state.ticks;
	return state;
}

void airtcp_sampling_end(const struct airtcp_sample_state *state)
{
	jiffies_64 -= state->ticks;
	if (state->own_rtnl)
		__rtnl_unlock();
	_local_bh_enable();
	local_irq_restore(state->flags);
}

/* Samples before the end; the process that ends the run triggers the last one. */
static void airtcp_arm_sampling(void)
{
	u64 next = airtcp_next_sample();

	if (next < airtcp_selection.end_ns)
		time_travel_add_event(&airtcp_sampling, next);
}

static void airtcp_sample(struct time_travel_event *event)
{
	struct airtcp_sample_state state = airtcp_sampling_begin();
	u64 now = event->time;
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++) {
		struct airtcp_series *series = &airtcp_series[i];

		if (series->next_ns != now)
			continue;
		series->sample(now);
		series->next_ns += series->interval_ns;
	}
	airtcp_sampling_end(&state);
	airtcp_arm_sampling();
}

/*
 * What a session's user waits for, when an instant is over. A loss is that of a queue which has
 * dropped.
 */
static void airtcp_sample_instant(u64 now)
{
	struct airtcp_sample_state state = airtcp_sampling_begin();

	airtcp_engine.instant_begins(now);
	airtcp_tell_losses(now);
	if (airtcp_watching & AIRTCP_SESSION_FLOWS)
		airtcp_sample_flows(now);
	if (airtcp_watching & (AIRTCP_SESSION_QUEUES | AIRTCP_SESSION_LOSSES))
		airtcp_sample_qdiscs(now);
	airtcp_engine.instant_ends(now);
	if (airtcp_watching & AIRTCP_SESSION_QUEUES)
		airtcp_await_departures();
	airtcp_sampling_end(&state);
}

void airtcp_sampling_start(void)
{
	airtcp_set_intervals();
	airtcp_sampling.observer = true;
	time_travel_set_event_fn(&airtcp_sampling, airtcp_sample);
	airtcp_session_samples(airtcp_sample_instant);
	airtcp_arm_sampling();
}

/* The process that ends the run triggers the last samples. */
void airtcp_sample_end(void)
{
	struct airtcp_sample_state state = airtcp_sampling_begin();
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++)
		if (airtcp_series[i].interval_ns)
			airtcp_series[i].sample(airtcp_selection.end_ns);
	/* Their reports describe the state at the end. */
	if (!airtcp_selection.flows_interval_ns)
		airtcp_sample_sockets(airtcp_selection.end_ns);
	airtcp_sampling_end(&state);
}
