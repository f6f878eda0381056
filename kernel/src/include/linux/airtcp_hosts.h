/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hosts of one machine. Each is a network namespace with its own clock and timer
 * wheel. Host 0 is the machine itself, whose clocks show virtual time.
 */
#ifndef __LINUX_AIRTCP_HOSTS_H
#define __LINUX_AIRTCP_HOSTS_H

#include <linux/ktime.h>
#include <linux/time64.h>
#include <linux/timer.h>

#define AIRTCP_HOSTS_MAX 1024

struct airtcp_host_clock {
	u64 age_ns;    /* uptime when the machine started */
	s64 offset_ns; /* of its wall clock when the machine started */
	s64 skew_ppb;  /* rate error against virtual time, in parts per 1e9 */
};

int airtcp_host_add(unsigned int host, const struct airtcp_host_clock *clock);
/* Adds its timer wheel (kernel/time/airtcp_wheels.c), after airtcp_host_add(). */
int airtcp_wheel_add(unsigned int host);
/* The rank of the wheels' ticks among events of one instant. */
void airtcp_wheels_rank(unsigned int rank);

/*
 * The idle processor has set the tick; whether it may have to set it again, because the next
 * timer of the kernel's own wheels is another one.
 */
void airtcp_tick_is_set(void);
bool airtcp_tick_may_change(void);

/* Converts virtual time since boot to the host's uptime, and back (rounded up). */
u64 airtcp_host_uptime_ns(unsigned int host, u64 virtual_ns);
u64 airtcp_host_virtual_ns(unsigned int host, u64 uptime_ns);

/* Converts a duration of the host's clock to virtual time, and back. */
u64 airtcp_host_duration_ns(unsigned int host, u64 shown_ns);
u64 airtcp_host_shown_ns(unsigned int host, u64 duration_ns);

/* Whether any host's clock differs from virtual time; if not, the functions below do nothing. */
extern bool airtcp_clocks_differ;

/*
 * Conversions between virtual time and the clocks of a program's host. The
 * machine's own process 1 always sees virtual time, whatever the namespace of its threads.
 */
void airtcp_clock_show(clockid_t which, struct timespec64 *ts);
ktime_t airtcp_clock_stamp(ktime_t wall);
ktime_t airtcp_clock_expiry(clockid_t which, ktime_t shown);
ktime_t airtcp_clock_duration(ktime_t shown);
/* The same for a reading of the wall clock of this host. */
void airtcp_wall_clock_show(unsigned int host, struct timespec64 *ts);

/* Converts the clock of TCP timestamps, in any unit, to the host's clock. */
static inline u64 airtcp_timestamp(unsigned int host, u64 virtual)
{
	return airtcp_clocks_differ ? airtcp_host_shown_ns(host, virtual) : virtual;
}

/* Moves the timer to this host's wheel. It must not be pending. */
static inline void timer_set_host(struct timer_list *timer, unsigned int host)
{
	timer->flags = (timer->flags & ~TIMER_CPUMASK) | host;
}

#endif
