// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit status. Rate control receives the result of every attempt, mac80211 that of every
 * frame.
 *
 * Under a block acknowledgment agreement rate control receives results per PPDU, as
 * from hardware with aggregates; a single frame reports its attempts in its status.
 */
#include <linux/rcupdate.h>
#include "driver.h"

/* Called for each attempt when it is over, in kernels of flavours that show them. */
void (*airtcp_ppdu_watcher)(const unsigned long long *handles,
			    const struct airtcp_ppdu_status *status);

/* Completed frames, in order. */
static u32 airtcp_done_first = AIRTCP_NONE;
static u32 airtcp_done_last = AIRTCP_NONE;

/* Rate control counts an aggregate once, as one attempt at one rate. */
static void airtcp_learn_ppdu(struct airtcp_slot *slot, struct ieee80211_sta *sta,
			      const struct airtcp_ppdu_status *status)
{
	struct ieee80211_tx_info *of_frame = IEEE80211_SKB_CB(slot->skb);
	struct ieee80211_tx_info info = {
		.flags = IEEE80211_TX_CTL_AMPDU | IEEE80211_TX_STAT_AMPDU,
		.band = of_frame->band,
	};

	if (status->probe)
		info.flags |= IEEE80211_TX_CTL_RATE_CTRL_PROBE;
	if (status->acked)
		info.flags |= IEEE80211_TX_STAT_ACK;
	airtcp_rate_to_tx(slot->radio, of_frame->band, &status->rate, &info.status.rates[0]);
	info.status.rates[0].count = 1;
	info.status.rates[1].idx = -1;
	info.status.ampdu_len = status->mpdus;
	info.status.ampdu_ack_len = status->acked;
	ieee80211_tx_rate_update(slot->radio->hw, sta, &info);
}

/* Attempts of a single frame, by the stages of its rate chain. */
static void airtcp_record_try(struct airtcp_slot *slot, const struct airtcp_ppdu_status *status)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(slot->skb);
	struct ieee80211_tx_rate tried;
	u32 last = slot->stages - 1;

	airtcp_rate_to_tx(slot->radio, info->band, &status->rate, &tried);
	tried.count = 1;
	if (slot->stages && slot->tried[last].idx == tried.idx &&
	    slot->tried[last].flags == tried.flags)
		slot->tried[last].count = min(slot->tried[last].count + 1, 31);
	else if (slot->stages < ARRAY_SIZE(slot->tried))
		slot->tried[slot->stages++] = tried;
}

static void airtcp_record_last(struct airtcp_txq *queue, struct ieee80211_sta *sta,
			       const struct airtcp_ppdu_status *status)
{
	struct airtcp_radio *radio = queue->radio;

	if (!status->solicited)
		queue->last = status->rate;
	if (!sta)
		return;
	if (radio->config.own_rate_control && !status->solicited) {
		airtcp_rate_to_info(&status->rate, &airtcp_sta(sta)->last_tx);
		airtcp_sta(sta)->has_last_tx = true;
	}
	if (radio->config.airtime_fairness)
		ieee80211_sta_register_airtime(sta, status->tid, status->airtime_us, 0);
}

void airtcp_ppdu_done(const unsigned long long *handles, const struct airtcp_ppdu_status *status)
{
	struct airtcp_slot *head = airtcp_slot(handles[0]);
	struct airtcp_txq *queue = airtcp_txq_by_id(head->txq, head->generation);
	struct ieee80211_sta *sta = queue ? airtcp_txq_of(queue)->sta : NULL;
	u32 i;

	if (airtcp_ppdu_watcher)
		airtcp_ppdu_watcher(handles, status);
	if (queue)
		airtcp_record_last(queue, sta, status);
	/* An RTS without CTS gives no information about the rate of the data. */
	if (!status->cleared)
		return;
	for (i = 0; i < status->mpdus; i++) {
		airtcp_slot(handles[i])->sent = true;
		airtcp_slot(handles[i])->response_dbm = status->answered ? status->response_dbm : 0;
	}
	/* The rate of an answer to a trigger frame was the access point's choice. */
	if (status->solicited)
		return;
	if (head->aggregable && sta)
		airtcp_learn_ppdu(head, sta, status);
	else
		airtcp_record_try(head, status);
}

void airtcp_mpdu_done(unsigned long long handle, unsigned int fate)
{
	struct airtcp_slot *slot = airtcp_slot(handle);

	slot->fate = fate;
	slot->next = AIRTCP_NONE;
	if (airtcp_done_last == AIRTCP_NONE)
		airtcp_done_first = handle;
	else
		airtcp_slot(airtcp_done_last)->next = handle;
	airtcp_done_last = handle;
	airtcp_poll_soon();
}

static void airtcp_fill_rates(struct airtcp_slot *slot, struct airtcp_txq *queue,
			      struct ieee80211_tx_info *info)
{
	u32 n = slot->stages;

	if (n) {
		memcpy(info->status.rates, slot->tried, sizeof(slot->tried));
	} else if (queue && slot->sent) {
		airtcp_rate_to_tx(slot->radio, info->band, &queue->last, &info->status.rates[0]);
		info->status.rates[0].count = 1;
		n = 1;
	}
	if (n < IEEE80211_TX_MAX_RATES)
		info->status.rates[n].idx = -1;
}

static void airtcp_fill_fate(const struct airtcp_slot *slot, struct ieee80211_tx_info *info)
{
	switch (slot->fate) {
	case AIRTCP_FATE_ACKED:
		info->flags |= IEEE80211_TX_STAT_ACK;
		if (slot->response_dbm) {
			info->status.ack_signal = slot->response_dbm;
			info->status.flags |= IEEE80211_TX_STATUS_ACK_SIGNAL_VALID;
		}
		break;
	case AIRTCP_FATE_SENT:
		info->flags |= IEEE80211_TX_STAT_NOACK_TRANSMITTED;
		break;
	default:
		if (!slot->aggregable)
			break;
		/* mac80211 sends the BlockAckReq that moves the receiver's window. */
		info->flags |= IEEE80211_TX_STAT_AMPDU_NO_BACK;
		/*
		 * It counts a lost packet (ieee80211_lost_packet) unless the frame is
		 * one of an aggregate without result; rate control, which has its
		 * result, passes over frames without acknowledgment.
		 */
		info->flags &= ~IEEE80211_TX_CTL_AMPDU;
		info->flags |= IEEE80211_TX_CTL_NO_ACK;
		break;
	}
}

/* Tells of data that is given up after its last attempt, if somebody waits for that. */
static void airtcp_tell_given_up(const struct airtcp_slot *slot)
{
	const struct sk_buff *skb = slot->skb;
	const struct ieee80211_hdr *hdr = (const void *)skb->data;

	if (!(airtcp_watching & AIRTCP_SESSION_LOSSES) || slot->fate != AIRTCP_FATE_GIVEN_UP ||
	    !ieee80211_is_data_present(hdr->frame_control))
		return;
	airtcp_engine.given_up(slot->radio->index, skb->data, skb_headlen(skb), time_travel_now());
	airtcp_arm();
}

/*
 * Reports the status of one frame and completes it. For an aggregate rate control has
 * its result already, which IEEE80211_TX_CTL_AMPDU without IEEE80211_TX_STAT_AMPDU indicates.
 */
static void airtcp_give_status(struct airtcp_slot *slot)
{
	struct airtcp_txq *queue = airtcp_txq_by_id(slot->txq, slot->generation);
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(slot->skb);
	struct ieee80211_hdr *hdr = (void *)slot->skb->data;
	struct ieee80211_rate_status rate = {};
	struct ieee80211_tx_status status = { .skb = slot->skb, .info = info };

	if (!slot->aggregable)
		info->flags &= ~IEEE80211_TX_CTL_AMPDU;
	ieee80211_tx_info_clear_status(info);
	airtcp_fill_rates(slot, queue, info);
	airtcp_fill_fate(slot, info);
	if (queue) {
		status.sta = airtcp_txq_of(queue)->sta;
		airtcp_txq_touch(queue);
		/* Without tries, which Minstrel would count as those of a single frame. */
		if (slot->sent && status.sta &&
		    (slot->aggregable || slot->radio->config.own_rate_control)) {
			airtcp_rate_to_info(&queue->last, &rate.rate_idx);
			status.rates = &rate;
			status.n_rates = 1;
		}
	} else if (slot->skb->len >= offsetofend(struct ieee80211_hdr, addr2)) {
		status.sta = ieee80211_find_sta_by_ifaddr(slot->radio->hw, hdr->addr1, hdr->addr2);
	}
	ieee80211_tx_status_ext(slot->radio->hw, &status);
}

/*
 * Passes mac80211 the statuses that arrived while the engine ran. Soft interrupts
 * are off, and the engine does not run.
 */
void airtcp_radio_settle(void)
{
	rcu_read_lock();
	while (airtcp_done_first != AIRTCP_NONE) {
		u32 handle = airtcp_done_first;
		struct airtcp_slot *slot = airtcp_slot(handle);

		airtcp_done_first = slot->next;
		if (airtcp_done_first == AIRTCP_NONE)
			airtcp_done_last = AIRTCP_NONE;
		if (ieee80211_is_beacon(((struct ieee80211_hdr *)slot->skb->data)->frame_control))
			airtcp_beacon_done(slot->radio, slot->skb);
		airtcp_tell_given_up(slot);
		if (slot->fate == AIRTCP_FATE_PURGED)
			ieee80211_free_txskb(slot->radio->hw, slot->skb);
		else
			airtcp_give_status(slot);
		airtcp_slot_free(handle);
	}
	airtcp_txqs_report_pending();
	rcu_read_unlock();
}
