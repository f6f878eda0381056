/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What mac80211 knows of a radio's peers, read for the engine of airtcp.h.
 */
#ifndef __NET_AIRTCP_WATCH_H
#define __NET_AIRTCP_WATCH_H

#include <linux/types.h>
#include <airtcp.h>

struct ieee80211_hw;

/* For whom a radio is looked at. */
struct airtcp_watcher {
	const struct airtcp_engine *engine;
	unsigned int nic;
	unsigned long long time;
	/* Whose this address is, AIRTCP_NONE for none of the radios. */
	unsigned int (*radio_of)(const unsigned char *address);
};

/* The books of its peers, of their queues and of its own. */
void airtcp_watch_stations(struct ieee80211_hw *hw, const struct airtcp_watcher *to);
/* What minstrel_ht thinks of the rates of its peers; nothing if that doesn't choose them. */
void airtcp_watch_rates(struct ieee80211_hw *hw, const struct airtcp_watcher *to);
/* Whether one of its interfaces has this address. */
bool airtcp_watch_has_address(struct ieee80211_hw *hw, const unsigned char *address);

/* Samples of all radios (arch/um/drivers/airtcp_radio_watch.c). */
void airtcp_sample_stations(u64 time);
void airtcp_sample_rates(u64 time);

#endif
