// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of rates between mac80211 and the engine.
 */
#include "driver.h"

/* The index of a rate of DSSS or OFDM is its hw_value, see caps.c. */
static int airtcp_legacy_index(struct airtcp_radio *radio, enum nl80211_band band,
			       const struct airtcp_rate *rate)
{
	const struct ieee80211_supported_band *sband = radio->hw->wiphy->bands[band];
	int i;

	for (i = 0; i < sband->n_bitrates; i++)
		if (sband->bitrates[i].hw_value == (rate->format << 8 | rate->index))
			return i;
	return 0;
}

/* HT numbers the rates of all numbers of streams (IEEE 802.11-2020, 19.5). */
static u8 airtcp_ht_mcs(const struct airtcp_rate *rate)
{
	return rate->index + 8 * (rate->streams - 1);
}

static u16 airtcp_width_of_tx(u16 flags)
{
	if (flags & IEEE80211_TX_RC_160_MHZ_WIDTH)
		return 160;
	if (flags & IEEE80211_TX_RC_80_MHZ_WIDTH)
		return 80;
	return flags & IEEE80211_TX_RC_40_MHZ_WIDTH ? 40 : 20;
}

/* False if the entry has no rate: the chain ends before it. */
bool airtcp_rate_of_tx(struct airtcp_radio *radio, enum nl80211_band band,
		       const struct ieee80211_tx_rate *from, struct airtcp_rate *to)
{
	const struct ieee80211_supported_band *sband = radio->hw->wiphy->bands[band];

	if (from->idx < 0 || !from->count)
		return false;
	*to = (struct airtcp_rate){
		.tries = from->count,
		.streams = 1,
		.width_mhz = airtcp_width_of_tx(from->flags),
		.guard_ns = from->flags & IEEE80211_TX_RC_SHORT_GI ? 400 : 800,
		.ldpc = radio->config.ldpc,
	};
	if (from->flags & IEEE80211_TX_RC_USE_RTS_CTS)
		to->protection = AIRTCP_PROTECT_RTS;
	else if (from->flags & IEEE80211_TX_RC_USE_CTS_PROTECT)
		to->protection = AIRTCP_PROTECT_CTS;
	if (from->flags & IEEE80211_TX_RC_VHT_MCS) {
		to->format = AIRTCP_PHY_VHT;
		to->index = ieee80211_rate_get_vht_mcs(from);
		to->streams = ieee80211_rate_get_vht_nss(from);
	} else if (from->flags & IEEE80211_TX_RC_MCS) {
		to->format = AIRTCP_PHY_HT;
		to->index = from->idx % 8;
		to->streams = from->idx / 8 + 1;
	} else {
		u16 value = sband->bitrates[from->idx].hw_value;

		to->format = value >> 8;
		to->index = value & 0xff;
		to->ldpc = 0;
		to->width_mhz = 20;
		to->short_preamble = !!(from->flags & IEEE80211_TX_RC_USE_SHORT_PREAMBLE);
		if (to->format == AIRTCP_PHY_DSSS)
			to->guard_ns = 0;
	}
	return true;
}

/* HE and EHT have no such format: the nearest rate of VHT is used. */
void airtcp_rate_to_tx(struct airtcp_radio *radio, enum nl80211_band band,
		       const struct airtcp_rate *from, struct ieee80211_tx_rate *to)
{
	to->count = from->tries;
	to->flags = 0;
	if (from->format >= AIRTCP_PHY_VHT) {
		ieee80211_rate_set_vht(to, min_t(u8, from->index, 9), min_t(u8, from->streams, 8));
		to->flags |= IEEE80211_TX_RC_VHT_MCS;
	} else if (from->format == AIRTCP_PHY_HT) {
		to->idx = airtcp_ht_mcs(from);
		to->flags |= IEEE80211_TX_RC_MCS;
	} else {
		to->idx = airtcp_legacy_index(radio, band, from);
	}
	if (from->width_mhz >= 160)
		to->flags |= IEEE80211_TX_RC_160_MHZ_WIDTH;
	else if (from->width_mhz == 80)
		to->flags |= IEEE80211_TX_RC_80_MHZ_WIDTH;
	else if (from->width_mhz == 40)
		to->flags |= IEEE80211_TX_RC_40_MHZ_WIDTH;
	if (from->guard_ns == 400)
		to->flags |= IEEE80211_TX_RC_SHORT_GI;
	if (from->short_preamble)
		to->flags |= IEEE80211_TX_RC_USE_SHORT_PREAMBLE;
	if (from->protection == AIRTCP_PROTECT_RTS)
		to->flags |= IEEE80211_TX_RC_USE_RTS_CTS;
	else if (from->protection == AIRTCP_PROTECT_CTS)
		to->flags |= IEEE80211_TX_RC_USE_CTS_PROTECT;
}

static enum rate_info_bw airtcp_bw(u16 width_mhz)
{
	switch (width_mhz) {
	case 40:
		return RATE_INFO_BW_40;
	case 80:
		return RATE_INFO_BW_80;
	case 160:
		return RATE_INFO_BW_160;
	case 320:
		return RATE_INFO_BW_320;
	default:
		return RATE_INFO_BW_20;
	}
}

/* Guard intervals of HE and EHT are numbered alike: 800, 1600, 3200 ns. */
static u8 airtcp_gi(u16 guard_ns)
{
	return guard_ns == 3200 ? NL80211_RATE_INFO_HE_GI_3_2 :
	       guard_ns == 1600 ? NL80211_RATE_INFO_HE_GI_1_6 :
				  NL80211_RATE_INFO_HE_GI_0_8;
}

/* In units of 100 kb/s (IEEE 802.11-2020, 15.4.4, 16.3.4 and 17.3.2.2). */
static const u16 airtcp_dsss_rates[] = { 10, 20, 55, 110 };
static const u16 airtcp_ofdm_rates[] = { 60, 90, 120, 180, 240, 360, 480, 540 };

void airtcp_rate_to_info(const struct airtcp_rate *from, struct rate_info *to)
{
	memset(to, 0, sizeof(*to));
	to->bw = airtcp_bw(from->width_mhz);
	to->mcs = from->index;
	to->nss = from->streams;
	if (from->guard_ns == 400)
		to->flags |= RATE_INFO_FLAGS_SHORT_GI;
	switch (from->format) {
	case AIRTCP_PHY_DSSS:
		to->legacy = airtcp_dsss_rates[from->index & 3];
		break;
	case AIRTCP_PHY_OFDM:
		to->legacy = airtcp_ofdm_rates[from->index & 7];
		break;
	case AIRTCP_PHY_HT:
		to->flags |= RATE_INFO_FLAGS_MCS;
		to->mcs = airtcp_ht_mcs(from);
		break;
	case AIRTCP_PHY_VHT:
		to->flags |= RATE_INFO_FLAGS_VHT_MCS;
		break;
	case AIRTCP_PHY_HE:
		to->flags |= RATE_INFO_FLAGS_HE_MCS;
		to->he_gi = airtcp_gi(from->guard_ns);
		break;
	default:
		to->flags |= RATE_INFO_FLAGS_EHT_MCS;
		to->eht_gi = airtcp_gi(from->guard_ns);
		break;
	}
}

void airtcp_rate_to_rx(enum nl80211_band band, const struct airtcp_rate *from,
		       struct ieee80211_rx_status *to)
{
	to->bw = airtcp_bw(from->width_mhz);
	to->nss = from->streams;
	to->rate_idx = from->index;
	if (from->guard_ns == 400)
		to->enc_flags |= RX_ENC_FLAG_SHORT_GI;
	if (from->ldpc)
		to->enc_flags |= RX_ENC_FLAG_LDPC;
	switch (from->format) {
	case AIRTCP_PHY_DSSS:
		if (from->short_preamble)
			to->enc_flags |= RX_ENC_FLAG_SHORTPRE;
		break;
	case AIRTCP_PHY_OFDM:
		/* At 2.4 GHz they come after those of DSSS. */
		to->rate_idx += band == NL80211_BAND_2GHZ ? ARRAY_SIZE(airtcp_dsss_rates) : 0;
		break;
	case AIRTCP_PHY_HT:
		to->encoding = RX_ENC_HT;
		to->rate_idx = airtcp_ht_mcs(from);
		break;
	case AIRTCP_PHY_VHT:
		to->encoding = RX_ENC_VHT;
		break;
	case AIRTCP_PHY_HE:
		to->encoding = RX_ENC_HE;
		to->he_gi = airtcp_gi(from->guard_ns);
		break;
#if AIRTCP_HAS_EHT
	default:
		to->encoding = RX_ENC_EHT;
		to->eht.gi = airtcp_gi(from->guard_ns);
		break;
#endif
	}
}

/*
 * The chain that came with the frame; for a retransmission a new chain, without
 * a rate sample.
 */
unsigned int airtcp_rates(unsigned long long handle, struct airtcp_rate *stages)
{
	struct airtcp_slot *slot = airtcp_slot(handle);
	struct airtcp_txq *queue = airtcp_txq_by_id(slot->txq, slot->generation);
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(slot->skb);
	struct ieee80211_txq *txq = queue ? airtcp_txq_of(queue) : NULL;
	unsigned int n = 0;

	if (slot->asked && txq && txq->sta) {
		info->flags &= ~IEEE80211_TX_CTL_RATE_CTRL_PROBE;
		ieee80211_get_tx_rates(txq->vif, txq->sta, slot->skb, info->control.rates,
				       ARRAY_SIZE(info->control.rates));
	}
	slot->asked = true;
	while (n < AIRTCP_STAGES &&
	       airtcp_rate_of_tx(slot->radio, info->band, &info->control.rates[n], &stages[n]))
		n++;
	return info->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE ? n | AIRTCP_RATES_PROBE : n;
}
