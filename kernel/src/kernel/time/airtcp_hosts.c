// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks of hosts.
 *
 * A host's clock starts some time (its age) before the machine and runs a
 * little faster or slower than virtual time. All conversions are arithmetic on virtual
 * time: two readings at one instant agree, and reading takes no virtual time.
 */
#include <linux/airtcp_hosts.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <net/net_namespace.h>

#define AIRTCP_PPB NSEC_PER_SEC

static struct airtcp_host_clock airtcp_clocks[AIRTCP_HOSTS_MAX + 1];
bool airtcp_clocks_differ;

/* RFC 5905 allows a frequency error of at most 500 ppm. */
#define AIRTCP_SKEW_MAX_PPB 500000

int airtcp_host_add(unsigned int host, const struct airtcp_host_clock *clock)
{
	if (!host || host > AIRTCP_HOSTS_MAX || abs(clock->skew_ppb) > AIRTCP_SKEW_MAX_PPB)
		return -EINVAL;
	airtcp_clocks[host] = *clock;
	airtcp_clocks_differ |= clock->offset_ns || clock->skew_ppb;
	return airtcp_wheel_add(host);
}

u64 airtcp_host_shown_ns(unsigned int host, u64 duration_ns)
{
	s64 skew_ppb = airtcp_clocks[host].skew_ppb;

	return skew_ppb ? mul_u64_u64_div_u64(duration_ns, AIRTCP_PPB + skew_ppb, AIRTCP_PPB) :
			  duration_ns;
}

/* The shortest virtual duration after which the clock shows this duration. */
u64 airtcp_host_duration_ns(unsigned int host, u64 shown_ns)
{
	s64 skew_ppb = airtcp_clocks[host].skew_ppb;
	u64 duration_ns;

	if (!skew_ppb)
		return shown_ns;
	duration_ns = mul_u64_u64_div_u64(shown_ns, AIRTCP_PPB, AIRTCP_PPB + skew_ppb);
	while (airtcp_host_shown_ns(host, duration_ns) < shown_ns)
		duration_ns++;
	return duration_ns;
}

u64 airtcp_host_uptime_ns(unsigned int host, u64 virtual_ns)
{
	return airtcp_clocks[host].age_ns + airtcp_host_shown_ns(host, virtual_ns);
}

u64 airtcp_host_virtual_ns(unsigned int host, u64 uptime_ns)
{
	u64 age_ns = airtcp_clocks[host].age_ns;

	return uptime_ns > age_ns ? airtcp_host_duration_ns(host, uptime_ns - age_ns) : 0;
}

/* The host whose clocks the current process sees. */
static unsigned int airtcp_current_host(void)
{
	if (!airtcp_clocks_differ || is_global_init(current) || !current->nsproxy)
		return 0;
	return current->nsproxy->net_ns->airtcp_host;
}

static bool airtcp_is_wall_clock(clockid_t which)
{
	return which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE ||
	       which == CLOCK_REALTIME_ALARM || which == CLOCK_TAI;
}

/* What the wall clock showed when the machine started. */
static s64 airtcp_wall_start_ns(void)
{
	return ktime_to_ns(ktime_mono_to_real(0));
}

static s64 airtcp_wall_shown_ns(unsigned int host, s64 wall_ns)
{
	s64 start_ns = airtcp_wall_start_ns();

	return start_ns + airtcp_clocks[host].offset_ns +
	       (s64)airtcp_host_shown_ns(host, wall_ns - start_ns);
}

void airtcp_wall_clock_show(unsigned int host, struct timespec64 *ts)
{
	if (airtcp_clocks_differ && host)
		*ts = ns_to_timespec64(airtcp_wall_shown_ns(host, timespec64_to_ns(ts)));
}

void airtcp_clock_show(clockid_t which, struct timespec64 *ts)
{
	unsigned int host = airtcp_current_host();

	if (!host)
		return;
	if (airtcp_is_wall_clock(which))
		airtcp_wall_clock_show(host, ts);
	else
		*ts = ns_to_timespec64(airtcp_host_shown_ns(host, timespec64_to_ns(ts)));
}

ktime_t airtcp_clock_stamp(ktime_t wall)
{
	unsigned int host = airtcp_current_host();

	return host && wall ? ns_to_ktime(airtcp_wall_shown_ns(host, ktime_to_ns(wall))) : wall;
}

ktime_t airtcp_clock_expiry(clockid_t which, ktime_t shown)
{
	unsigned int host = airtcp_current_host();
	bool wall = airtcp_is_wall_clock(which);
	s64 start_ns, ns;

	/* 0 disarms a timer, and an infinite expiry stays infinite. */
	if (!host || !shown || shown == KTIME_MAX)
		return shown;
	start_ns = wall ? airtcp_wall_start_ns() : 0;
	ns = ktime_to_ns(shown) - start_ns - (wall ? airtcp_clocks[host].offset_ns : 0);
	/* Before the start of the machine: already expired. */
	if (ns <= 0)
		return ns_to_ktime(start_ns + 1);
	return ns_to_ktime(start_ns + airtcp_host_duration_ns(host, ns));
}

ktime_t airtcp_clock_duration(ktime_t shown)
{
	unsigned int host = airtcp_current_host();

	if (!host || shown <= 0 || shown == KTIME_MAX)
		return shown;
	return ns_to_ktime(airtcp_host_duration_ns(host, ktime_to_ns(shown)));
}
