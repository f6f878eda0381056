// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the state of stations, queues and rate control for the engine.
 *
 * It only reads: it takes no lock, sends nothing and reads no clock. The
 * machine has one CPU and no preemption, so nothing happens between two of these
 * lines: all values read in one call belong to one instant.
 */
#include <linux/etherdevice.h>
#include <linux/rculist.h>
#include <net/airtcp_watch.h>
#include "ieee80211_i.h"
#include "rate.h"
#include "sta_info.h"
#include "rc80211_minstrel_ht.h"

/* In units of 100 kb/s, in the order of airtcp.h (IEEE 802.11-2020, 15.4.4, 16.3.4, 17.3.2.2). */
static const u16 airtcp_dsss_rates[] = { 10, 20, 55, 110 };
static const u16 airtcp_ofdm_rates[] = { 60, 90, 120, 180, 240, 360, 480, 540 };

static u16 airtcp_width_of(enum rate_info_bw bw)
{
	switch (bw) {
	case RATE_INFO_BW_40:
		return 40;
	case RATE_INFO_BW_80:
		return 80;
	case RATE_INFO_BW_160:
		return 160;
	case RATE_INFO_BW_320:
		return 320;
	default:
		return 20;
	}
}

static u16 airtcp_guard_of(const struct rate_info *info)
{
	bool he = info->flags & (RATE_INFO_FLAGS_HE_MCS | RATE_INFO_FLAGS_EHT_MCS);
	u8 gi = info->flags & RATE_INFO_FLAGS_HE_MCS ? info->he_gi : info->eht_gi;

	if (!he)
		return info->flags & RATE_INFO_FLAGS_SHORT_GI ? 400 : 800;
	return gi == NL80211_RATE_INFO_HE_GI_3_2 ? 3200 :
	       gi == NL80211_RATE_INFO_HE_GI_1_6 ? 1600 :
						   800;
}

static void airtcp_legacy_of(u16 bitrate, struct airtcp_rate *rate)
{
	int i;

	rate->streams = 1;
	rate->width_mhz = 20;
	rate->format = AIRTCP_PHY_OFDM;
	rate->guard_ns = 800;
	for (i = 0; i < ARRAY_SIZE(airtcp_ofdm_rates); i++)
		if (airtcp_ofdm_rates[i] == bitrate)
			rate->index = i;
	for (i = 0; i < ARRAY_SIZE(airtcp_dsss_rates); i++) {
		if (airtcp_dsss_rates[i] != bitrate)
			continue;
		rate->format = AIRTCP_PHY_DSSS;
		rate->guard_ns = 0;
		rate->index = i;
	}
}

static void airtcp_mode_of(struct rate_info *info, struct airtcp_mode *mode)
{
	struct airtcp_rate *rate = &mode->rate;

	memset(mode, 0, sizeof(*mode));
	mode->bitrate = cfg80211_calculate_bitrate(info);
	rate->index = info->mcs;
	rate->streams = info->nss;
	rate->width_mhz = airtcp_width_of(info->bw);
	rate->guard_ns = airtcp_guard_of(info);
	if (info->flags & RATE_INFO_FLAGS_MCS) {
		/* HT numbers the rates of all numbers of streams (19.5). */
		rate->format = AIRTCP_PHY_HT;
		rate->index = info->mcs % 8;
		rate->streams = info->mcs / 8 + 1;
	} else if (info->flags & RATE_INFO_FLAGS_VHT_MCS) {
		rate->format = AIRTCP_PHY_VHT;
	} else if (info->flags & RATE_INFO_FLAGS_HE_MCS) {
		rate->format = AIRTCP_PHY_HE;
	} else if (info->flags & RATE_INFO_FLAGS_EHT_MCS) {
		rate->format = AIRTCP_PHY_EHT;
	} else {
		airtcp_legacy_of(info->legacy, rate);
	}
}

static void airtcp_watch_station(struct sta_info *sta, unsigned int peer,
				 const struct airtcp_watcher *to)
{
	struct station_info info = {};
	struct airtcp_station sample = {
		.interface = sta->sdata->wdev.identifier,
		.peer = peer,
	};

	sta_set_sinfo(sta, &info, false);
	sample.tx_bytes = info.tx_bytes;
	sample.rx_bytes = info.rx_bytes;
	sample.tx_packets = info.tx_packets;
	sample.rx_packets = info.rx_packets;
	sample.tx_airtime_us = info.tx_duration;
	sample.rx_airtime_us = info.rx_duration;
	sample.tx_retries = info.tx_retries;
	sample.tx_failed = info.tx_failed;
	sample.weight = sta->airtime_weight;
	sample.expected_kbps = info.expected_throughput;
	sample.signal_dbm = info.signal;
	sample.signal_avg_dbm = info.signal_avg;
	sample.access_point = sta->sdata->vif.type == NL80211_IFTYPE_STATION &&
			      test_sta_flag(sta, WLAN_STA_ASSOC);
	if (info.filled & BIT_ULL(NL80211_STA_INFO_TX_BITRATE))
		airtcp_mode_of(&info.txrate, &sample.tx);
	if (info.filled & BIT_ULL(NL80211_STA_INFO_RX_BITRATE))
		airtcp_mode_of(&info.rxrate, &sample.rx);
	to->engine->station(to->nic, to->time, &sample);
}

/* mac80211 numbers access categories from the highest. */
static unsigned int airtcp_watch_ac(unsigned int ac)
{
	static const u8 of[IEEE80211_NUM_ACS] = {
		[IEEE80211_AC_VO] = 3,
		[IEEE80211_AC_VI] = 2,
		[IEEE80211_AC_BE] = 1,
		[IEEE80211_AC_BK] = 0,
	};

	return of[ac];
}

static unsigned int airtcp_count(const struct list_head *list)
{
	const struct list_head *each;
	unsigned int count = 0;

	list_for_each(each, list)
		count++;
	return count;
}

/* Adds the queue of one TID to the totals of its access category. */
static void airtcp_add_txq(struct airtcp_station_queue *sample, const struct txq_info *txqi)
{
	const struct fq_tin *tin = &txqi->tin;

	sample->backlog_packets += tin->backlog_packets;
	sample->backlog_bytes += tin->backlog_bytes;
	sample->flows += airtcp_count(&tin->new_flows) + airtcp_count(&tin->old_flows);
	sample->new_flows += tin->flows;
	sample->drops += txqi->cstats.drop_count;
	sample->marks += txqi->cstats.ecn_mark;
	sample->overlimit += tin->overlimit;
	sample->collisions += tin->collisions;
}

static bool airtcp_queue_used(const struct airtcp_station_queue *sample)
{
	return sample->tx_packets || sample->tx_airtime_us || sample->rx_airtime_us ||
	       sample->new_flows || sample->pending_us;
}

static void airtcp_watch_queue(struct sta_info *sta, unsigned int peer, unsigned int ac,
			       const struct airtcp_watcher *to)
{
	const struct airtime_info *airtime = &sta->airtime[ac];
	struct airtcp_station_queue sample = {
		.interface = sta->sdata->wdev.identifier,
		.peer = peer,
		.ac = airtcp_watch_ac(ac),
		.tx_packets = sta->deflink.tx_stats.packets[ac],
		.tx_bytes = sta->deflink.tx_stats.bytes[ac],
		.tx_airtime_us = airtime->tx_airtime,
		.rx_airtime_us = airtime->rx_airtime,
		.deficit_us = airtime->deficit,
		.pending_us = atomic_read(&airtime->aql_tx_pending),
		.limit_low_us = airtime->aql_limit_low,
		.limit_high_us = airtime->aql_limit_high,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(sta->sta.txq); i++)
		if (sta->sta.txq[i] && sta->sta.txq[i]->ac == ac)
			airtcp_add_txq(&sample, to_txq_info(sta->sta.txq[i]));
	if (airtcp_queue_used(&sample))
		to->engine->station_queue(to->nic, to->time, &sample);
}

/* Group frames have a separate queue in each interface. */
static void airtcp_watch_group(struct ieee80211_sub_if_data *sdata, const struct airtcp_watcher *to)
{
	struct airtcp_station_queue sample = {
		.interface = sdata->wdev.identifier,
		.peer = AIRTCP_NONE,
	};
	struct txq_info *txqi;

	if (!sdata->vif.txq)
		return;
	txqi = to_txq_info(sdata->vif.txq);
	sample.ac = airtcp_watch_ac(txqi->txq.ac);
	sample.tx_packets = txqi->tin.tx_packets;
	sample.tx_bytes = txqi->tin.tx_bytes;
	airtcp_add_txq(&sample, txqi);
	if (airtcp_queue_used(&sample))
		to->engine->station_queue(to->nic, to->time, &sample);
}

static void airtcp_watch_radio(struct ieee80211_local *local, const struct airtcp_watcher *to)
{
	const struct fq *fq = &local->fq;
	struct airtcp_radio_queue sample = {
		.backlog_packets = fq->backlog,
		.memory_bytes = fq->memory_usage,
		.overlimit = fq->overlimit,
		.overmemory = fq->overmemory,
		.collisions = fq->collisions,
		.pending_us = atomic_read(&local->aql_total_pending_airtime),
	};

	to->engine->radio_queue(to->nic, to->time, &sample);
}

void airtcp_watch_stations(struct ieee80211_hw *hw, const struct airtcp_watcher *to)
{
	struct ieee80211_local *local = hw_to_local(hw);
	struct ieee80211_sub_if_data *sdata;
	struct sta_info *sta;
	unsigned int ac, peer;

	rcu_read_lock();
	list_for_each_entry_rcu(sta, &local->sta_list, list) {
		peer = to->radio_of(sta->sta.addr);
		if (peer == AIRTCP_NONE)
			continue;
		airtcp_watch_station(sta, peer, to);
		for (ac = 0; ac < IEEE80211_NUM_ACS; ac++)
			airtcp_watch_queue(sta, peer, ac, to);
	}
	list_for_each_entry_rcu(sdata, &local->interfaces, list)
		airtcp_watch_group(sdata, to);
	airtcp_watch_radio(local, to);
	rcu_read_unlock();
}

/* The mode of a rate of minstrel_ht, by its index in a group. */
static void airtcp_minstrel_mode(unsigned int group, unsigned int place, struct airtcp_mode *mode)
{
	const struct mcs_group *of = &minstrel_mcs_groups[group];
	struct rate_info info = { .mcs = place, .nss = of->streams };
	bool cck = group == MINSTREL_CCK_GROUP;

	if (of->flags & IEEE80211_TX_RC_40_MHZ_WIDTH)
		info.bw = RATE_INFO_BW_40;
	else if (of->flags & IEEE80211_TX_RC_80_MHZ_WIDTH)
		info.bw = RATE_INFO_BW_80;
	else
		info.bw = RATE_INFO_BW_20;
	if (of->flags & IEEE80211_TX_RC_SHORT_GI)
		info.flags |= RATE_INFO_FLAGS_SHORT_GI;
	if (of->flags & IEEE80211_TX_RC_MCS) {
		info.flags |= RATE_INFO_FLAGS_MCS;
		info.mcs += 8 * (of->streams - 1);
	} else if (of->flags & IEEE80211_TX_RC_VHT_MCS) {
		info.flags |= RATE_INFO_FLAGS_VHT_MCS;
	} else {
		info.legacy =
			cck ? minstrel_cck_bitrates[place % 4] : minstrel_ofdm_bitrates[place];
	}
	airtcp_mode_of(&info, mode);
	/* The second half of the CCK group has short preambles. */
	mode->rate.short_preamble = cck && place >= 4;
}

static unsigned int airtcp_minstrel_chosen(const struct minstrel_ht_sta *mi, unsigned int index)
{
	unsigned int chosen = 0;
	int i, type;

	for (i = 0; i < MAX_THR_RATES; i++)
		if (mi->max_tp_rate[i] == index)
			chosen |= AIRTCP_RATE_BEST << i;
	if (mi->max_prob_rate == index)
		chosen |= AIRTCP_RATE_SAFEST;
	for (type = 0; type < ARRAY_SIZE(mi->sample); type++)
		for (i = 0; i < MINSTREL_SAMPLE_RATES; i++)
			if (mi->sample[type].cur_sample_rates[i] == index)
				chosen |= AIRTCP_RATE_SAMPLED;
	return chosen;
}

static void airtcp_watch_rate(struct minstrel_ht_sta *mi, unsigned int group, unsigned int place,
			      struct airtcp_station_rate *sample)
{
	const struct minstrel_rate_stats *stats = &mi->groups[group].rates[place];

	sample->index = MI_RATE(group, place);
	sample->chosen = airtcp_minstrel_chosen(mi, sample->index);
	sample->probability = stats->prob_avg;
	sample->throughput = minstrel_ht_get_tp_avg(mi, group, place, stats->prob_avg);
	sample->attempts = stats->att_hist;
	sample->successes = stats->succ_hist;
	airtcp_minstrel_mode(group, place, &sample->mode);
}

/* Only rates that were tried or are selected; there are up to 200 others. */
static void airtcp_watch_station_rates(struct sta_info *sta, unsigned int peer,
				       const struct airtcp_watcher *to)
{
	struct minstrel_ht_sta *mi = sta->rate_ctrl_priv;
	struct airtcp_station_rate sample = {
		.interface = sta->sdata->wdev.identifier,
		.peer = peer,
	};
	unsigned int group, place;

	if (!mi || !mi->sta || !test_sta_flag(sta, WLAN_STA_RATE_CONTROL))
		return;
	for (group = 0; group < MINSTREL_GROUPS_NB; group++) {
		for (place = 0; place < MCS_GROUP_RATES; place++) {
			if (!(mi->supported[group] & BIT(place)))
				continue;
			airtcp_watch_rate(mi, group, place, &sample);
			if (sample.attempts || (sample.chosen & ~AIRTCP_RATE_SAMPLED))
				to->engine->station_rate(to->nic, to->time, &sample);
		}
	}
}

void airtcp_watch_rates(struct ieee80211_hw *hw, const struct airtcp_watcher *to)
{
	struct ieee80211_local *local = hw_to_local(hw);
	struct sta_info *sta;
	unsigned int peer;

	if (!local->rate_ctrl || strcmp(local->rate_ctrl->ops->name, "minstrel_ht"))
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(sta, &local->sta_list, list) {
		peer = to->radio_of(sta->sta.addr);
		if (peer != AIRTCP_NONE)
			airtcp_watch_station_rates(sta, peer, to);
	}
	rcu_read_unlock();
}

bool airtcp_watch_has_address(struct ieee80211_hw *hw, const unsigned char *address)
{
	struct ieee80211_local *local = hw_to_local(hw);
	struct ieee80211_sub_if_data *sdata;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(sdata, &local->interfaces, list)
		found |= sdata->vif.type != NL80211_IFTYPE_MONITOR &&
			 ether_addr_equal(sdata->vif.addr, address);
	rcu_read_unlock();
	return found;
}
