// SPDX-License-Identifier: GPL-2.0
/*
 * The TSF timer of a radio. Each counts by an oscillator of its own, whose error the plan
 * draws: access points that began their beacons at one instant do not collide for ever.
 *
 * A radio follows the timer of an access point or an IBSS. It returns to its own when it
 * begins to time others: an access point initializes its timer independently of others, so
 * that their beacons do not coincide (IEEE 802.11-2020, 11.1.2.1). Two stations of
 * one network that become access points or mesh points have different timers again.
 */
#include "driver.h"

/* How much the timer has gained since boot. Microseconds first: the product fits for years. */
static s64 airtcp_tsf_gain_ns(const struct airtcp_radio *radio, u64 ns)
{
	s64 us = div_u64(ns, NSEC_PER_USEC);

	return div_s64(us * radio->config.clock_error_ppb, USEC_PER_SEC);
}

/* The timer minus virtual time. */
s64 airtcp_tsf_offset_us(const struct airtcp_radio *radio, u64 ns)
{
	return radio->tsf_offset_us + div_s64(airtcp_tsf_gain_ns(radio, ns), NSEC_PER_USEC);
}

u64 airtcp_tsf_us(const struct airtcp_radio *radio, u64 ns)
{
	return div_u64(ns, NSEC_PER_USEC) + airtcp_tsf_offset_us(radio, ns);
}

static u64 airtcp_tsf_ns(const struct airtcp_radio *radio, u64 ns)
{
	return ns + radio->tsf_offset_us * NSEC_PER_USEC + airtcp_tsf_gain_ns(radio, ns);
}

/* Until the timer shows the next multiple of an interval, never earlier: it would come twice. */
u64 airtcp_tsf_wait_ns(const struct airtcp_radio *radio, u64 interval_ns)
{
	u64 now = time_travel_now();
	u64 tsf_ns = airtcp_tsf_ns(radio, now);
	u64 due_ns = (div64_u64(tsf_ns, interval_ns) + 1) * interval_ns;
	s64 wait_ns = due_ns - tsf_ns;

	wait_ns -= div_s64(wait_ns * radio->config.clock_error_ppb, NSEC_PER_SEC);
	while (airtcp_tsf_ns(radio, now + wait_ns) < due_ns)
		wait_ns++;
	return wait_ns;
}

/* Its own timer again, if it has followed others. */
void airtcp_tsf_own(struct airtcp_radio *radio)
{
	if (radio->follows)
		radio->tsf_offset_us = radio->config.tsf_us;
	radio->follows = false;
}
