// SPDX-License-Identifier: GPL-2.0
/*
 * Samples mac80211's state of the peers of radios.
 */
#include <net/airtcp_watch.h>
#include "driver.h"
#include "radio.h"

static unsigned int airtcp_radio_by_address(const unsigned char *address)
{
	unsigned int nic;

	for (nic = 0; nic < airtcp_engine.nics; nic++) {
		struct airtcp_radio *radio = airtcp_radio_of(nic);

		if (radio && airtcp_watch_has_address(radio->hw, address))
			return nic;
	}
	return AIRTCP_NONE;
}

static void airtcp_sample_radios(u64 time, void (*watch)(struct ieee80211_hw *hw,
							 const struct airtcp_watcher *to))
{
	struct airtcp_watcher to = {
		.engine = &airtcp_engine,
		.time = time,
		.radio_of = airtcp_radio_by_address,
	};

	for (to.nic = 0; to.nic < airtcp_engine.nics; to.nic++) {
		struct airtcp_radio *radio = airtcp_radio_of(to.nic);

		if (radio)
			watch(radio->hw, &to);
	}
}

void airtcp_sample_stations(u64 time)
{
	airtcp_sample_radios(time, airtcp_watch_stations);
}

void airtcp_sample_rates(u64 time)
{
	airtcp_sample_radios(time, airtcp_watch_rates);
}
