/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hosts of one machine: each is a network namespace with a clock and a timer
 * wheel of its own. Host 0 is the machine, whose clocks are virtual time.
 */
#ifndef __LINUX_AIRTCP_HOSTS_H
#define __LINUX_AIRTCP_HOSTS_H

#include <linux/ktime.h>
#include <linux/time64.h>
#include <linux/timer.h>

#define AIRTCP_HOSTS_MAX 1024

struct airtcp_host_clock {
	u64 age_ns;    /* how long it had been up when the machine started */
	s64 offset_ns; /* of its wall clock when the machine started */
	s64 skew_ppb;  /* it runs so much faster than virtual time, in parts per 1e9 */
};

int airtcp_host_add(unsigned int host, const struct airtcp_host_clock *clock);
/* Its timer wheel (kernel/time/airtcp_wheels.c); its clock is known. */
int airtcp_wheel_add(unsigned int host);

/* Virtual time since boot as the host's time since its own boot, and back (rounded up). */
u64 airtcp_host_uptime_ns(unsigned int host, u64 virtual_ns);
u64 airtcp_host_virtual_ns(unsigned int host, u64 uptime_ns);

/* A duration that the host's clock shows, in virtual time, and the reverse. */
u64 airtcp_host_duration_ns(unsigned int host, u64 shown_ns);
u64 airtcp_host_shown_ns(unsigned int host, u64 duration_ns);

/* Whether any host's clock differs from virtual time: what follows has nothing to do if not. */
extern bool airtcp_clocks_differ;

/*
 * What a program sees of its host's clocks, and what it means by a time. The
 * machine's own process 1 sees virtual time, in whatever namespace its threads are.
 */
void airtcp_clock_show(clockid_t which, struct timespec64 *ts);
ktime_t airtcp_clock_stamp(ktime_t wall);
ktime_t airtcp_clock_expiry(clockid_t which, ktime_t shown);
ktime_t airtcp_clock_duration(ktime_t shown);
/* The same of a wall clock's reading for this host. */
void airtcp_wall_clock_show(unsigned int host, struct timespec64 *ts);

/* A reading of the clock of TCP's timestamps, in any unit, by the host's clock. */
static inline u64 airtcp_timestamp(unsigned int host, u64 virtual)
{
	return airtcp_clocks_differ ? airtcp_host_shown_ns(host, virtual) : virtual;
}

/* From now on the timer is on this host's wheel. It must not be pending. */
static inline void timer_set_host(struct timer_list *timer, unsigned int host)
{
	timer->flags = (timer->flags & ~TIMER_CPUMASK) | host;
}

#endif
