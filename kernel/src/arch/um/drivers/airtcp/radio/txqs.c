// SPDX-License-Identifier: GPL-2.0
/*
 * mac80211's queues, from which the engine pulls when it has access to the medium.
 *
 * A queue gets a small number when a frame first waits in it.
 * mac80211 does not report whether an offered queue really has a frame: CoDel
 * may drop it, or the setup of an agreement may block it. The driver therefore
 * dequeues the first frame in advance, so the engine never contends without a frame.
 */
#include <linux/slab.h>
#include "driver.h"

#define AIRTCP_TXQS 65536U

/* Three addresses and QoS control (IEEE 802.11-2020, 9.3.2.1). */
#define AIRTCP_QOS_HEADER 26UL

static struct airtcp_txq **airtcp_txqs;
static u32 *airtcp_txqs_next; /* list of free numbers */
static u32 airtcp_txqs_used;
static u32 airtcp_txqs_free = AIRTCP_NONE;
static u32 airtcp_txqs_generation;
static LIST_HEAD(airtcp_txqs_touched);

void __init airtcp_txqs_init(void)
{
	airtcp_txqs = kvcalloc(AIRTCP_TXQS, sizeof(*airtcp_txqs), GFP_KERNEL);
	airtcp_txqs_next = kvcalloc(AIRTCP_TXQS, sizeof(*airtcp_txqs_next), GFP_KERNEL);
	if (!airtcp_txqs || !airtcp_txqs_next)
		panic("airtcp: no memory for the queues of radios");
}

void airtcp_txq_init(struct airtcp_radio *radio, struct ieee80211_txq *txq)
{
	struct airtcp_txq *queue;

	if (!txq)
		return;
	queue = airtcp_txq(txq);
	memset(queue, 0, sizeof(*queue));
	queue->radio = radio;
	queue->id = AIRTCP_NONE;
	INIT_LIST_HEAD(&queue->backlogged);
	INIT_LIST_HEAD(&queue->draining);
	INIT_LIST_HEAD(&queue->touched_list);
}

u32 airtcp_txq_id(struct airtcp_txq *queue)
{
	if (queue->id != AIRTCP_NONE)
		return queue->id;
	if (airtcp_txqs_free != AIRTCP_NONE) {
		queue->id = airtcp_txqs_free;
		airtcp_txqs_free = airtcp_txqs_next[queue->id];
	} else if (airtcp_txqs_used < AIRTCP_TXQS) {
		queue->id = airtcp_txqs_used++;
	} else {
		panic("airtcp: more than %u queues of radios", AIRTCP_TXQS);
	}
	queue->generation = ++airtcp_txqs_generation;
	airtcp_txqs[queue->id] = queue;
	return queue->id;
}

/* The queue of a frame, if it still exists. */
struct airtcp_txq *airtcp_txq_by_id(u32 id, u32 generation)
{
	struct airtcp_txq *queue = id < AIRTCP_TXQS ? airtcp_txqs[id] : NULL;

	return queue && queue->generation == generation ? queue : NULL;
}

static void airtcp_txq_drop_first(struct airtcp_txq *queue)
{
	if (!queue->first)
		return;
	ieee80211_free_txskb(queue->radio->hw, queue->first);
	if (queue->first_key)
		airtcp_key_put(queue->first_key);
	queue->first = NULL;
	queue->first_key = NULL;
	queue->radio->firsts--;
}

/* Its station or interface is removed. */
void airtcp_txq_end(struct ieee80211_txq *txq)
{
	struct airtcp_txq *queue;

	if (!txq)
		return;
	queue = airtcp_txq(txq);
	local_bh_disable();
	queue->ended = true;
	list_del_init(&queue->backlogged);
	list_del_init(&queue->draining);
	list_del_init(&queue->touched_list);
	airtcp_txq_drop_first(queue);
	if (queue->id != AIRTCP_NONE) {
		airtcp_engine.purge(queue->radio->index, queue->id, time_travel_now());
		airtcp_radio_settle();
		list_del_init(&queue->touched_list);
		airtcp_txqs[queue->id] = NULL;
		airtcp_txqs_next[queue->id] = airtcp_txqs_free;
		airtcp_txqs_free = queue->id;
		queue->id = AIRTCP_NONE;
		airtcp_arm();
	}
	local_bh_enable();
}

void airtcp_radio_pending(struct airtcp_radio *radio, u32 ac)
{
	airtcp_engine.pending(radio->index, airtcp_ac(ac), time_travel_now());
	airtcp_arm();
}

void airtcp_wake_tx_queue(struct ieee80211_hw *hw, struct ieee80211_txq *txq)
{
	struct airtcp_txq *queue = airtcp_txq(txq);
	struct airtcp_radio *radio = hw->priv;

	if (!radio->started || queue->asleep || queue->ended)
		return;
	local_bh_disable();
	if (list_empty(&queue->backlogged))
		list_add_tail(&queue->backlogged, &radio->backlogged[txq->ac]);
	airtcp_radio_pending(radio, txq->ac);
	local_bh_enable();
}

static bool airtcp_txq_advance(struct airtcp_txq *queue)
{
	if (queue->first)
		return true;
	queue->first = ieee80211_tx_dequeue(queue->radio->hw, airtcp_txq_of(queue));
	if (!queue->first)
		return false;
	queue->first_key = airtcp_key_of(queue->radio, queue->first);
	queue->radio->firsts++;
	return true;
}

/*
 * The next frame of a queue, beginning with the one dequeued in advance, and the key that it
 * had then.
 */
struct sk_buff *airtcp_txq_take(struct airtcp_txq *queue, struct airtcp_key **key)
{
	struct sk_buff *skb;

	if (!airtcp_txq_advance(queue))
		return NULL;
	skb = queue->first;
	*key = queue->first_key;
	queue->first = NULL;
	queue->first_key = NULL;
	queue->radio->firsts--;
	return skb;
}

static bool airtcp_txq_fill(struct airtcp_txq *queue)
{
	struct ieee80211_txq *txq = airtcp_txq_of(queue);

	if (queue->asleep)
		return queue->first;
	airtcp_txq_advance(queue);
	/* If the airtime limit blocks the queue, it has frames. */
	if (!queue->first && ieee80211_txq_airtime_check(queue->radio->hw, txq))
		list_del_init(&queue->backlogged);
	return queue->first;
}

static struct airtcp_txq *airtcp_txq_next(struct airtcp_radio *radio, u32 ac)
{
	struct ieee80211_txq *txq;
	struct airtcp_txq *queue = NULL;

	ieee80211_txq_schedule_start(radio->hw, ac);
	while ((txq = ieee80211_next_txq(radio->hw, ac))) {
		queue = airtcp_txq(txq);
		/* mac80211 purges the queues of a station some time after its removal. */
		if (!queue->ended && (airtcp_txq_fill(queue) || queue->more))
			break;
		ieee80211_return_txq(radio->hw, txq, false);
		queue = NULL;
	}
	ieee80211_txq_schedule_end(radio->hw, ac);
	return queue;
}

unsigned int airtcp_next_txq(unsigned int nic, unsigned int ac)
{
	struct airtcp_radio *radio = airtcp_radio_of(nic);
	u32 mac_ac = airtcp_ac(ac);
	struct airtcp_txq *queue;

	if (!radio->started)
		return AIRTCP_NONE;
	queue = list_first_entry_or_null(&radio->draining[mac_ac], struct airtcp_txq, draining) ?:
			airtcp_txq_next(radio, mac_ac);
	if (queue)
		list_del_init(&queue->draining);
	return queue ? airtcp_txq_id(queue) : AIRTCP_NONE;
}

/*
 * The library's rate control does not request agreements, so the driver does,
 * as mac80211 for minstrel_ht: none for voice (ieee80211_aggr_check).
 */
static void airtcp_want_agreement(struct airtcp_txq *queue, const struct sk_buff *skb)
{
	struct ieee80211_txq *txq = airtcp_txq_of(queue);

	if (!queue->radio->config.own_rate_control || queue->agreement || !txq->sta ||
	    queue->radio->config.ba_window < 2 || skb->protocol == htons(ETH_P_PAE))
		return;
	if (txq->ac == IEEE80211_AC_VO && !queue->radio->config.voice_agreements)
		return;
	if (!txq->sta->deflink.ht_cap.ht_supported && !txq->sta->deflink.he_cap.has_he)
		return;
	ieee80211_start_tx_ba_session(txq->sta, txq->tid, 0);
}

int airtcp_dequeue(unsigned int id, struct airtcp_mpdu *mpdu)
{
	struct airtcp_txq *queue = airtcp_txqs[id];
	struct airtcp_key *key;
	struct sk_buff *skb;

	if (!airtcp_txq_fill(queue))
		return 0;
	skb = airtcp_txq_take(queue, &key);
	airtcp_want_agreement(queue, skb);
	airtcp_describe(airtcp_slot_new(queue->radio, queue, skb, key), mpdu);
	return 1;
}

/*
 * Frames to be retransmitted have left mac80211 and count against its airtime
 * limit until they are sent: if the limit blocked them, it would block for ever.
 */
void airtcp_return_txq(unsigned int id, int more)
{
	struct airtcp_txq *queue = airtcp_txqs[id];
	struct ieee80211_txq *txq = airtcp_txq_of(queue);
	struct ieee80211_hw *hw = queue->radio->hw;
	bool force, kept_back;

	queue->more = more;
	force = more || queue->first;
	kept_back = queue->asleep || (more && !ieee80211_txq_airtime_check(hw, txq));
	if (!queue->asleep)
		ieee80211_return_txq(hw, txq, force);
	if (force && kept_back && list_empty(&queue->draining))
		list_add_tail(&queue->draining, &queue->radio->draining[txq->ac]);
}

int airtcp_has(unsigned int nic, unsigned int ac)
{
	struct airtcp_radio *radio = airtcp_radio_of(nic);
	u32 mac_ac = airtcp_ac(ac);
	struct airtcp_txq *queue;

	if (!radio->started)
		return 0;
	if (!list_empty(&radio->draining[mac_ac]))
		return 1;
	list_for_each_entry(queue, &radio->backlogged[mac_ac], backlogged)
		if (queue->first || ieee80211_txq_airtime_check(radio->hw, airtcp_txq_of(queue)))
			return 1;
	return 0;
}

/* The queue of the uplink, about which the radio's own lower MAC tells its access point. */
unsigned int airtcp_uplink_txq(unsigned int nic, unsigned int tid)
{
	struct ieee80211_sta *access_point = airtcp_radio_of(nic)->access_point;
	struct ieee80211_txq *txq = access_point ? access_point->txq[tid] : NULL;

	return txq && !airtcp_txq(txq)->ended ? airtcp_txq_id(airtcp_txq(txq)) : AIRTCP_NONE;
}

/*
 * Frames have their headers already, that of the cipher included, which is kept: so
 * an MSDU counts with about as many octets as an Ethernet frame.
 */
unsigned long long airtcp_depth(unsigned int id)
{
	struct airtcp_txq *queue = airtcp_txqs[id];
	unsigned long frames, bytes;

	ieee80211_txq_get_depth(airtcp_txq_of(queue), &frames, &bytes);
	if (queue->first) {
		frames++;
		bytes += queue->first->len;
	}
	return bytes - min(bytes, frames * AIRTCP_QOS_HEADER);
}

/*
 * mac80211 removes the queues of a sleeping station from its rotation. Frames
 * dequeued before are still sent, because in this model the station still receives.
 */
void airtcp_txq_sleeps(struct ieee80211_txq *txq)
{
	struct airtcp_txq *queue;

	if (!txq)
		return;
	queue = airtcp_txq(txq);
	queue->asleep = true;
	list_del_init(&queue->backlogged);
	if ((queue->more || queue->first) && list_empty(&queue->draining)) {
		list_add_tail(&queue->draining, &queue->radio->draining[txq->ac]);
		airtcp_radio_pending(queue->radio, txq->ac);
	}
}

void airtcp_txq_wakes(struct ieee80211_txq *txq)
{
	struct airtcp_txq *queue;

	if (!txq)
		return;
	queue = airtcp_txq(txq);
	queue->asleep = false;
	list_del_init(&queue->draining);
	if (queue->more || queue->first) {
		ieee80211_schedule_txq(queue->radio->hw, txq);
		airtcp_wake_tx_queue(queue->radio->hw, txq);
	}
}

/* A frame of this queue is done: its airtime limit may admit more. */
void airtcp_txq_touch(struct airtcp_txq *queue)
{
	if (list_empty(&queue->touched_list))
		list_add_tail(&queue->touched_list, &airtcp_txqs_touched);
}

void airtcp_txqs_report_pending(void)
{
	struct airtcp_txq *queue;

	while ((queue = list_first_entry_or_null(&airtcp_txqs_touched, struct airtcp_txq,
						 touched_list))) {
		struct ieee80211_txq *txq = airtcp_txq_of(queue);

		list_del_init(&queue->touched_list);
		if (!list_empty(&queue->backlogged) &&
		    ieee80211_txq_airtime_check(queue->radio->hw, txq))
			airtcp_radio_pending(queue->radio, txq->ac);
	}
}
