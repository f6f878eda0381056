/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads mac80211's state of a radio's peers for the engine of airtcp.h.
 */
#ifndef __NET_AIRTCP_WATCH_H
#define __NET_AIRTCP_WATCH_H

#include <linux/types.h>
#include <airtcp.h>

struct ieee80211_hw;

/* The receiver of samples of a radio. */
struct airtcp_watcher {
	const struct airtcp_engine *engine;
	unsigned int nic;
	unsigned long long time;
	/* The radio with this address; AIRTCP_NONE if there is none. */
	unsigned int (*radio_of)(const unsigned char *address);
};

/* Counters of its peers, of their queues and of its own queues. */
void airtcp_watch_stations(struct ieee80211_hw *hw, const struct airtcp_watcher *to);
/* minstrel_ht's statistics of the rates of its peers; nothing with other rate control. */
void airtcp_watch_rates(struct ieee80211_hw *hw, const struct airtcp_watcher *to);
/* Whether one of its interfaces has this address. */
bool airtcp_watch_has_address(struct ieee80211_hw *hw, const unsigned char *address);

#endif
