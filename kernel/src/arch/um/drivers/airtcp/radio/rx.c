// SPDX-License-Identifier: GPL-2.0
/*
 * Received frames. Each receiver has its own copy of the headers, which
 * mac80211 rewrites, and shares the payload with the sender unless the plan
 * requires a copy or the payload may change.
 *
 * Access points on one channel hear a probe request at one instant, and their hosts would answer
 * it at one instant: the responses, which nobody acknowledges or repeats, would collide each
 * time. Machines are not equally fast. The software of each takes a time of its own, which no
 * standard knows: up to a millisecond, drawn from the radio, its oscillator and the instant.
 */
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <net/sock.h>
#include "driver.h"

#define ANSWER_NS_MOST NSEC_PER_MSEC

/* Frames for all radios in the order of arrival; the queue mapping holds the radio. */
static struct sk_buff_head airtcp_heard;

void __init airtcp_rx_init(void)
{
	__skb_queue_head_init(&airtcp_heard);
}

/* The software has come to the first of the requests that wait; their times are in `tstamp`. */
static void airtcp_rx_answer(struct time_travel_event *event)
{
	struct airtcp_radio *radio = container_of(event, struct airtcp_radio, answer);
	struct sk_buff *skb = __skb_dequeue(&radio->asked);
	struct sk_buff *next = skb_peek(&radio->asked);

	skb->tstamp = 0;
	__skb_queue_tail(&airtcp_heard, skb);
	airtcp_poll_soon();
	if (next)
		time_travel_add_event(&radio->answer, next->tstamp);
}

/* Requests are answered in their order. */
static void airtcp_rx_asked(struct airtcp_radio *radio, struct sk_buff *skb, u64 start)
{
	const struct sk_buff *last = skb_peek_tail(&radio->asked);
	u32 draw = jhash_3words(radio->index, radio->config.clock_error_ppb, start, 0);
	u64 answer = time_travel_now() + reciprocal_scale(draw, ANSWER_NS_MOST);

	skb->tstamp = last ? max_t(u64, last->tstamp, answer) : answer;
	if (!last)
		time_travel_add_event(&radio->answer, skb->tstamp);
	__skb_queue_tail(&radio->asked, skb);
}

void airtcp_rx_radio_init(struct airtcp_radio *radio)
{
	__skb_queue_head_init(&radio->waiting);
	__skb_queue_head_init(&radio->asked);
	time_travel_set_event_fn(&radio->answer, airtcp_rx_answer);
}

void airtcp_rx_radio_stop(struct airtcp_radio *radio)
{
	if (radio->answer.pending)
		time_travel_del_event(&radio->answer);
	__skb_queue_purge(&radio->asked);
}

static struct sk_buff *airtcp_rx_copy(const struct airtcp_radio *radio, struct sk_buff *skb)
{
	struct sk_buff *copy;

	if (radio->rx_copy || !skb_is_nonlinear(skb) || !airtcp_payload_stays(skb))
		copy = skb_copy(skb, GFP_ATOMIC);
	else
		copy = pskb_copy(skb, GFP_ATOMIC);
	if (!copy) {
		/* A silent loss for lack of memory would be a wrong result. */
		panic("airtcp: no memory for a received frame");
	}
	skb_scrub_packet(copy, true);
	skb_orphan(copy);
	copy->priority = 0;
	copy->ip_summed = CHECKSUM_UNNECESSARY;
	skb_set_queue_mapping(copy, radio->index);
	return copy;
}

static void airtcp_rx_status(const struct airtcp_radio *radio, struct sk_buff *skb,
			     const struct airtcp_rx_status *from)
{
	const struct ieee80211_channel *channel = radio->hw->conf.chandef.chan;
	struct ieee80211_rx_status *status = IEEE80211_SKB_RXCB(skb);

	memset(status, 0, sizeof(*status));
	status->freq = channel->center_freq;
	status->band = channel->band;
	status->signal = from->signal_dbm;
	/* Time of the first octet, as in beacon timestamps: with equal timers both agree. */
	status->mactime = airtcp_tsf_us(radio, from->start);
	status->boottime_ns = from->end;
	status->flag = RX_FLAG_MACTIME_START;
	airtcp_rate_to_rx(channel->band, &from->rate, status);
	if (from->aggregate) {
		status->flag |= RX_FLAG_AMPDU_DETAILS | RX_FLAG_AMPDU_LAST_KNOWN;
		status->ampdu_reference = from->ppdu;
	}
	/* Delimiters have this bit from VHT on (9.7.1). */
	if (from->aggregate && from->rate.format >= AIRTCP_PHY_VHT) {
		status->flag |= RX_FLAG_AMPDU_EOF_BIT_KNOWN;
		if (from->aggregate == 1)
			status->flag |= RX_FLAG_AMPDU_EOF_BIT;
	}
}

/* False if this receiver cannot decrypt it. */
static bool airtcp_rx_decrypt(struct airtcp_radio *radio, const struct airtcp_slot *slot,
			      struct sk_buff *skb)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;

	if (!slot->key)
		return true;
	if (!airtcp_key_known(radio, slot->key, hdr->addr2)) {
		radio->undecryptable++;
		return false;
	}
	IEEE80211_SKB_RXCB(skb)->flag |= RX_FLAG_DECRYPTED | RX_FLAG_MIC_STRIPPED;
	return true;
}

/*
 * The timestamp is the sender's timer when its first octet leaves the antenna. The field holds
 * the offset of the timer from virtual time (tx.c), as a capture adds it, too.
 */
static void airtcp_rx_timestamp(struct sk_buff *skb, u64 start)
{
	struct ieee80211_mgmt *mgmt = (void *)skb->data;

	le64_add_cpu(&mgmt->u.beacon.timestamp, div_u64(start, NSEC_PER_USEC));
}

static void airtcp_rx_one(struct airtcp_radio *radio, const struct airtcp_slot *slot,
			  const struct airtcp_rx_status *status, bool last)
{
	struct sk_buff *skb = airtcp_rx_copy(radio, slot->skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;

	airtcp_rx_status(radio, skb, status);
	if (last)
		IEEE80211_SKB_RXCB(skb)->flag |= RX_FLAG_AMPDU_IS_LAST;
	if (!airtcp_rx_decrypt(radio, slot, skb)) {
		if (!radio->monitor) {
			kfree_skb(skb);
			return;
		}
		IEEE80211_SKB_RXCB(skb)->flag |= RX_FLAG_ONLY_MONITOR;
	}
	if (slot->sent && !is_multicast_ether_addr(hdr->addr1))
		hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_RETRY);
	if (!ieee80211_is_pspoll(hdr->frame_control))
		hdr->duration_id = cpu_to_le16(status->duration_us);
	if (airtcp_has_timestamp(skb))
		airtcp_rx_timestamp(skb, status->start);
	if (radio->beaconing && ieee80211_is_probe_req(hdr->frame_control) &&
	    is_multicast_ether_addr(hdr->addr1)) {
		airtcp_rx_asked(radio, skb, status->start);
		return;
	}
	if (radio->moderated && !ieee80211_is_beacon(hdr->frame_control)) {
		__skb_queue_tail(&radio->waiting, skb);
		return;
	}
	__skb_queue_tail(&airtcp_heard, skb);
	airtcp_poll_soon();
}

/* Frames sent by a station are charged to its airtime, too. */
static void airtcp_rx_airtime(struct airtcp_radio *radio, const struct airtcp_slot *slot,
			      const struct airtcp_rx_status *status)
{
	struct ieee80211_hdr *hdr = (void *)slot->skb->data;
	struct ieee80211_sta *sta;
	u8 tid = 0;

	if (!radio->config.airtime_fairness || radio->rx_ppdu == status->ppdu ||
	    !ieee80211_is_data(hdr->frame_control) || is_multicast_ether_addr(hdr->addr1))
		return;
	radio->rx_ppdu = status->ppdu;
	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(radio->hw, hdr->addr2, hdr->addr1);
	if (sta) {
		if (ieee80211_is_data_qos(hdr->frame_control))
			tid = ieee80211_get_tid(hdr);
		ieee80211_sta_register_airtime(sta, tid, 0, status->airtime_us);
	}
	rcu_read_unlock();
}

void airtcp_rx(unsigned int nic, const unsigned long long *handles, unsigned int count,
	       const struct airtcp_rx_status *status)
{
	struct airtcp_radio *radio = airtcp_radio_of(nic);
	unsigned int i;

	if (!radio->started || radio->idle || !radio->hw->conf.chandef.chan || !count)
		return;
	airtcp_rx_airtime(radio, airtcp_slot(handles[0]), status);
	for (i = 0; i < count; i++)
		airtcp_rx_one(radio, airtcp_slot(handles[i]), status,
			      status->aggregate && status->last && i + 1 == count);
}

/* The engine decides when: it models the timers of the chip and the delay of the host. */
void airtcp_rx_interrupt(unsigned int nic)
{
	skb_queue_splice_tail_init(&airtcp_radio_of(nic)->waiting, &airtcp_heard);
	airtcp_poll_soon();
}

/* For monitors only: the engine itself processes the control frames that it generates. */
void airtcp_rx_control(unsigned int nic, const unsigned char *frame, unsigned int len,
		       const struct airtcp_rx_status *status)
{
	struct airtcp_radio *radio = airtcp_radio_of(nic);
	struct sk_buff *skb;

	if (!radio->started || !radio->hears_control || !radio->hw->conf.chandef.chan)
		return;
	skb = dev_alloc_skb(len);
	if (!skb)
		panic("airtcp: no memory for a received frame");
	skb_put_data(skb, frame, len);
	skb_set_queue_mapping(skb, radio->index);
	airtcp_rx_status(radio, skb, status);
	IEEE80211_SKB_RXCB(skb)->flag |= RX_FLAG_ONLY_MONITOR;
	__skb_queue_tail(&airtcp_heard, skb);
	airtcp_poll_soon();
}

/* mac80211 reports to monitors only those fields of an HE PPDU that are marked known. */
static void airtcp_rx_he(struct sk_buff *skb)
{
	static const struct ieee80211_radiotap_he known = {
		.data1 = cpu_to_le16(IEEE80211_RADIOTAP_HE_DATA1_DATA_MCS_KNOWN |
				     IEEE80211_RADIOTAP_HE_DATA1_CODING_KNOWN |
				     IEEE80211_RADIOTAP_HE_DATA1_STBC_KNOWN |
				     IEEE80211_RADIOTAP_HE_DATA1_BW_RU_ALLOC_KNOWN),
		.data2 = cpu_to_le16(IEEE80211_RADIOTAP_HE_DATA2_GI_KNOWN),
	};

	if (skb_cow_head(skb, sizeof(known)))
		panic("airtcp: no memory for a received frame");
	memcpy(skb_push(skb, sizeof(known)), &known, sizeof(known));
	IEEE80211_SKB_RXCB(skb)->flag |= RX_FLAG_RADIOTAP_HE;
}

/* Soft interrupts are off, and the engine does not run. */
int airtcp_rx_poll(struct napi_struct *napi, int budget)
{
	struct sk_buff *skb;
	int done = 0;

	while (done < budget && (skb = __skb_dequeue(&airtcp_heard))) {
		struct airtcp_radio *radio = airtcp_radio_of(skb_get_queue_mapping(skb));
		struct ieee80211_hdr *hdr = (void *)skb->data;

		done++;
		skb_set_queue_mapping(skb, 0);
		if (!radio->started) {
			kfree_skb(skb);
			continue;
		}
		if (ieee80211_is_beacon(hdr->frame_control) && airtcp_has_timestamp(skb))
			airtcp_beacon_heard(radio, skb);
		airtcp_doze_heard(radio, skb);
		if (radio->monitor && IEEE80211_SKB_RXCB(skb)->encoding == RX_ENC_HE)
			airtcp_rx_he(skb);
		ieee80211_rx_napi(radio->hw, NULL, skb, radio->gro ? napi : NULL);
	}
	return done;
}
