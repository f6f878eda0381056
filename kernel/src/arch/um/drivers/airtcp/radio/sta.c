// SPDX-License-Identifier: GPL-2.0
/*
 * Stations: their queues, block acknowledgment agreements and power save.
 */
#include "driver.h"

/*
 * The entry that a station interface has for its access point: mac80211 adds it to its driver when
 * it is associated, until it no longer is.
 */
static void airtcp_update_association(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
				      struct ieee80211_sta *sta, const u8 *access_point)
{
	struct airtcp_radio *radio = hw->priv;

	if (vif->type != NL80211_IFTYPE_STATION || sta->tdls)
		return;
	local_bh_disable();
	if (access_point)
		radio->access_point = sta;
	else if (radio->access_point == sta)
		radio->access_point = NULL;
	airtcp_engine.associated(radio->index, access_point, time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

int airtcp_sta_add(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta)
{
	u32 i;

	memset(airtcp_sta(sta), 0, sizeof(struct airtcp_sta));
	for (i = 0; i < ARRAY_SIZE(sta->txq); i++)
		airtcp_txq_init(hw->priv, sta->txq[i]);
	airtcp_update_association(hw, vif, sta, sta->addr);
	return 0;
}

int airtcp_sta_remove(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sta->txq); i++)
		airtcp_txq_end(sta->txq[i]);
	airtcp_update_association(hw, vif, sta, NULL);
	return 0;
}

void airtcp_sta_notify(struct ieee80211_hw *hw, struct ieee80211_vif *vif, enum sta_notify_cmd cmd,
		       struct ieee80211_sta *sta)
{
	struct airtcp_radio *radio = hw->priv;
	u32 i;

	local_bh_disable();
	for (i = 0; i < ARRAY_SIZE(sta->txq); i++) {
		if (cmd == STA_NOTIFY_SLEEP)
			airtcp_txq_sleeps(sta->txq[i]);
		else
			airtcp_txq_wakes(sta->txq[i]);
	}
	airtcp_engine.asleep(radio->index, sta->addr, cmd == STA_NOTIFY_SLEEP, time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

/* With minstrel mac80211 computes it itself, but it cannot represent HE and EHT. */
void airtcp_sta_statistics(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			   struct ieee80211_sta *sta, struct station_info *info)
{
	if (!airtcp_sta(sta)->has_last_tx)
		return;
	info->txrate = airtcp_sta(sta)->last_tx;
	info->filled |= BIT_ULL(NL80211_STA_INFO_TX_BITRATE);
}

static void airtcp_update_agreement(struct airtcp_txq *queue, u32 window)
{
	queue->agreement = window;
	local_bh_disable();
	airtcp_engine.agreement(queue->radio->index, airtcp_txq_id(queue), window,
				time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

int airtcp_ampdu_action(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			struct ieee80211_ampdu_params *params)
{
	struct airtcp_radio *radio = hw->priv;
	struct ieee80211_txq *txq = params->sta->txq[params->tid];

	switch (params->action) {
	case IEEE80211_AMPDU_TX_START:
		return txq ? IEEE80211_AMPDU_TX_START_IMMEDIATE : -EOPNOTSUPP;
	case IEEE80211_AMPDU_TX_OPERATIONAL:
		airtcp_update_agreement(airtcp_txq(txq),
					min_t(u32, params->buf_size, radio->config.ba_window));
		return 0;
	case IEEE80211_AMPDU_TX_STOP_CONT:
	case IEEE80211_AMPDU_TX_STOP_FLUSH:
	case IEEE80211_AMPDU_TX_STOP_FLUSH_CONT:
		if (txq && airtcp_txq(txq)->agreement)
			airtcp_update_agreement(airtcp_txq(txq), 0);
		if (params->action != IEEE80211_AMPDU_TX_STOP_FLUSH_CONT)
			ieee80211_stop_tx_ba_cb_irqsafe(vif, params->sta->addr, params->tid);
		return 0;
	case IEEE80211_AMPDU_RX_START:
	case IEEE80211_AMPDU_RX_STOP:
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* A frame released to a station that is awake only for a service period. */
static void airtcp_mark_released(struct sk_buff *skb, bool more, bool last,
				 enum ieee80211_frame_release_type reason)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;

	if (more)
		hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_MOREDATA);
	else
		hdr->frame_control &= ~cpu_to_le16(IEEE80211_FCTL_MOREDATA);
	info->flags |= IEEE80211_TX_CTL_NO_PS_BUFFER;
	if (last) {
		info->flags |= IEEE80211_TX_STATUS_EOSP | IEEE80211_TX_CTL_REQ_TX_STATUS;
		if (reason == IEEE80211_FRAME_RELEASE_UAPSD &&
		    ieee80211_is_data_qos(hdr->frame_control))
			*ieee80211_get_qos_ctl(hdr) |= IEEE80211_QOS_CTL_EOSP;
	}
}

static bool airtcp_txq_empty(struct ieee80211_txq *txq)
{
	unsigned long frames;

	if (airtcp_txq(txq)->first)
		return false;
	ieee80211_txq_get_depth(txq, &frames, NULL);
	return !frames;
}

/* The first of these queues of a sleeping station that has a frame, or none. */
static struct airtcp_txq *airtcp_first_with(struct ieee80211_sta *sta, u16 tids)
{
	u32 tid;

	for (tid = 0; tid < IEEE80211_NUM_TIDS; tid++)
		if (tids & BIT(tid) && sta->txq[tid] && !airtcp_txq_empty(sta->txq[tid]))
			return airtcp_txq(sta->txq[tid]);
	return NULL;
}

/* mac80211 may drop what a queue seemed to have, so the next frame is taken before one is sent. */
static struct sk_buff *airtcp_take_released(struct ieee80211_sta *sta, u16 tids,
					    struct airtcp_key **key)
{
	struct airtcp_txq *queue;
	struct sk_buff *skb;

	while ((queue = airtcp_first_with(sta, tids))) {
		skb = airtcp_txq_take(queue, key);
		if (skb)
			return skb;
		tids &= ~BIT(airtcp_txq_of(queue)->tid);
	}
	return NULL;
}

void airtcp_release_buffered_frames(struct ieee80211_hw *hw, struct ieee80211_sta *sta, u16 tids,
				    int count, enum ieee80211_frame_release_type reason,
				    bool more_data)
{
	struct airtcp_radio *radio = hw->priv;
	struct airtcp_key *key = NULL, *next_key = NULL;
	struct sk_buff *skb, *next;

	local_bh_disable();
	skb = airtcp_take_released(sta, tids, &key);
	if (!skb)
		ieee80211_sta_eosp(sta);
	for (; skb; skb = next, key = next_key) {
		bool more = more_data || airtcp_first_with(sta, tids);

		next = --count > 0 ? airtcp_take_released(sta, tids, &next_key) : NULL;
		airtcp_mark_released(skb, more || next, !next, reason);
		airtcp_send_keyed(radio, skb, skb_get_queue_mapping(skb), key);
	}
	local_bh_enable();
}

/* airtcp_tx() passes them on, in order and before all others. */
void airtcp_allow_buffered_frames(struct ieee80211_hw *hw, struct ieee80211_sta *sta, u16 tids,
				  int count, enum ieee80211_frame_release_type reason,
				  bool more_data)
{
}
