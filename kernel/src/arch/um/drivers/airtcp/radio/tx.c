// SPDX-License-Identifier: GPL-2.0
/*
 * Passes frames to the engine.
 */
#include "driver.h"

#define AIRTCP_FCS_BYTES 4

/* mac80211 leaves the sequence numbers of some frames, such as beacons, to the driver. */
static void airtcp_number(struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct airtcp_vif *avif;

	if (!(info->flags & IEEE80211_TX_CTL_ASSIGN_SEQ) || !info->control.vif)
		return;
	avif = airtcp_vif(info->control.vif);
	if (info->flags & IEEE80211_TX_CTL_FIRST_FRAGMENT)
		avif->sequence += 1 << 4;
	hdr->seq_ctrl &= cpu_to_le16(IEEE80211_SCTL_FRAG);
	hdr->seq_ctrl |= cpu_to_le16(avif->sequence);
}

static u32 airtcp_flags(const struct airtcp_slot *slot, const struct ieee80211_hdr *hdr)
{
	const struct ieee80211_tx_info *info = IEEE80211_SKB_CB(slot->skb);
	u32 flags = slot->aggregable ? AIRTCP_MPDU_AGGREGABLE : 0;

	if (info->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE)
		flags |= AIRTCP_MPDU_PROBE;
	if (info->flags & IEEE80211_TX_CTL_NO_ACK)
		flags |= AIRTCP_MPDU_NO_ACK;
	if (info->flags & IEEE80211_TX_CTL_USE_MINRATE)
		flags |= AIRTCP_MPDU_SLOW;
	if (info->flags & IEEE80211_TX_CTL_AMPDU)
		flags |= AIRTCP_MPDU_AGREED;
	if (is_multicast_ether_addr(hdr->addr1))
		flags |= AIRTCP_MPDU_GROUP;
	if (ieee80211_is_back_req(hdr->frame_control))
		flags |= AIRTCP_MPDU_BAR;
	else if (ieee80211_is_beacon(hdr->frame_control))
		flags |= AIRTCP_MPDU_BEACON;
	else if (ieee80211_is_data(hdr->frame_control))
		flags |= AIRTCP_MPDU_DATA;
	return flags;
}

/* An injected frame may have the type of a beacon and be too short for a timestamp. */
bool airtcp_has_timestamp(const struct sk_buff *skb)
{
	const struct ieee80211_hdr *hdr = (const void *)skb->data;

	return (ieee80211_is_beacon(hdr->frame_control) ||
		ieee80211_is_probe_resp(hdr->frame_control)) &&
	       skb_headlen(skb) >= offsetofend(struct ieee80211_mgmt, u.beacon.timestamp);
}

/*
 * The timestamp is known only at transmission; until then the field holds the
 * offset of the TSF timer from virtual time.
 */
static void airtcp_offset(const struct airtcp_slot *slot)
{
	struct ieee80211_mgmt *mgmt = (void *)slot->skb->data;

	mgmt->u.beacon.timestamp =
		cpu_to_le64(airtcp_tsf_offset_us(slot->radio, time_travel_now()));
}

static void airtcp_describe_bar(const struct sk_buff *skb, struct airtcp_mpdu *mpdu)
{
	const struct ieee80211_bar *bar = (const void *)skb->data;

	mpdu->sequence = le16_to_cpu(bar->start_seq_num) >> 4;
	mpdu->tid = (le16_to_cpu(bar->control) & IEEE80211_BAR_CTRL_TID_INFO_MASK) >>
		    IEEE80211_BAR_CTRL_TID_INFO_SHIFT;
}

/* Describes a frame to the engine. mac80211's frames have all headers in the linear part. */
void airtcp_describe(u64 handle, struct airtcp_mpdu *mpdu)
{
	const struct airtcp_slot *slot = airtcp_slot(handle);
	struct ieee80211_hdr *hdr = (void *)slot->skb->data;

	*mpdu = (struct airtcp_mpdu){
		.handle = handle,
		.head = slot->skb->data,
		.head_len = skb_headlen(slot->skb),
		.bytes = slot->skb->len + AIRTCP_FCS_BYTES,
		.txq = slot->txq,
		.flags = airtcp_flags(slot, hdr),
	};
	if (slot->key)
		mpdu->bytes += slot->key->icv_len;
	if (airtcp_has_timestamp(slot->skb))
		airtcp_offset(slot);
	ether_addr_copy(mpdu->ra, hdr->addr1);
	/* An injected Ack or CTS has no second address. */
	if (slot->skb->len >= offsetofend(struct ieee80211_hdr, addr2))
		ether_addr_copy(mpdu->ta, hdr->addr2);
	if (mpdu->flags & AIRTCP_MPDU_BAR && slot->skb->len >= sizeof(struct ieee80211_bar)) {
		airtcp_describe_bar(slot->skb, mpdu);
	} else if (!ieee80211_is_ctl(hdr->frame_control)) {
		mpdu->sequence = le16_to_cpu(hdr->seq_ctrl) >> 4;
		if (ieee80211_is_data_qos(hdr->frame_control))
			mpdu->tid = ieee80211_get_tid(hdr);
	}
}

/* The same for a frame that was handed over earlier, with its key. */
void airtcp_send_keyed(struct airtcp_radio *radio, struct sk_buff *skb, u32 ac,
		       struct airtcp_key *key)
{
	struct airtcp_mpdu mpdu;

	if (!radio->started || radio->idle || !radio->hw->conf.chandef.chan) {
		if (key)
			airtcp_key_put(key);
		ieee80211_free_txskb(radio->hw, skb);
		return;
	}
	airtcp_number(skb);
	local_bh_disable();
	airtcp_describe(airtcp_slot_new(radio, NULL, skb, key), &mpdu);
	airtcp_engine.send_first(radio->index, airtcp_ac(ac), &mpdu, time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

/* The frame is sent before mac80211's queues of this category. */
void airtcp_send_first(struct airtcp_radio *radio, struct sk_buff *skb, u32 ac)
{
	struct airtcp_key *key;

	local_bh_disable();
	key = airtcp_key_of(radio, skb);
	local_bh_enable();
	airtcp_send_keyed(radio, skb, ac, key);
}

void airtcp_tx(struct ieee80211_hw *hw, struct ieee80211_tx_control *control, struct sk_buff *skb)
{
	u32 ac = min_t(u32, skb_get_queue_mapping(skb), IEEE80211_AC_BK);

	airtcp_send_first(hw->priv, skb, ac);
}
