// SPDX-License-Identifier: GPL-2.0
/*
 * Capabilities of a radio: bands, rates, HT, VHT, HE and EHT, and the flags
 * that mac80211 needs of its driver. All values come from the plan.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include "driver.h"

/* Allows all channels: the scenario determines which are used. */
static const struct ieee80211_regdomain airtcp_regdomain = {
	.n_reg_rules = 3,
	.reg_rules = {
		REG_RULE(2402, 2494, 40, 0, 0, 0),
		REG_RULE(5150, 5895, 160, 0, 0, NL80211_RRF_AUTO_BW),
		REG_RULE(5925, 7125, 320, 0, 0, 0),
	},
};

/*
 * Call after registration. The transmit power limit is that of the plan. The name is that of a
 * country, or 99 of none (include/net/regulatory.h).
 */
int airtcp_radio_set_regdomain(struct airtcp_radio *radio, const char *alpha2)
{
	struct ieee80211_regdomain *domain;
	int err, i;

	domain = kmemdup(&airtcp_regdomain,
			 struct_size(domain, reg_rules, airtcp_regdomain.n_reg_rules), GFP_KERNEL);
	if (!domain)
		return -ENOMEM;
	for (i = 0; i < domain->n_reg_rules; i++)
		domain->reg_rules[i].power_rule.max_eirp = DBM_TO_MBM(radio->config.power_dbm);
	memcpy(domain->alpha2, alpha2, sizeof(domain->alpha2));
	err = regulatory_set_wiphy_regd(radio->hw->wiphy, domain);
	kfree(domain);
	return err;
}

/* A country that a user names (iw reg set, hostapd) changes the name of the domain alone. */
static void airtcp_reg_notifier(struct wiphy *wiphy, struct regulatory_request *request)
{
	if (request->initiator == NL80211_REGDOM_SET_BY_USER)
		airtcp_radio_set_regdomain(wiphy_to_ieee80211_hw(wiphy)->priv, request->alpha2);
}

/* Index of a rate among those of its kind; airtcp_rate_of_tx() reverses it. */
#define AIRTCP_RATE(kind, place, hundred_kbps, preamble) \
	{ .bitrate = (hundred_kbps), .hw_value = (kind) << 8 | (place), .flags = (preamble) }

#define AIRTCP_DSSS_RATES 4

static const struct ieee80211_rate airtcp_rates_table[] = {
	AIRTCP_RATE(AIRTCP_PHY_DSSS, 0, 10, 0),
	AIRTCP_RATE(AIRTCP_PHY_DSSS, 1, 20, IEEE80211_RATE_SHORT_PREAMBLE),
	AIRTCP_RATE(AIRTCP_PHY_DSSS, 2, 55, IEEE80211_RATE_SHORT_PREAMBLE),
	AIRTCP_RATE(AIRTCP_PHY_DSSS, 3, 110, IEEE80211_RATE_SHORT_PREAMBLE),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 0, 60, 0),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 1, 90, 0),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 2, 120, 0),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 3, 180, 0),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 4, 240, 0),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 5, 360, 0),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 6, 480, 0),
	AIRTCP_RATE(AIRTCP_PHY_OFDM, 7, 540, 0),
};

/* 5 GHz, IEEE 802.11-2020, Table E-4; at 2.4 and 6 GHz they are evenly spaced. */
static const u8 airtcp_channels_5ghz[] = {
	36,  40,  44,  48,  52,	 56,  60,  64,	100, 104, 108, 112, 116, 120,
	124, 128, 132, 136, 140, 144, 149, 153, 157, 161, 165, 169, 173, 177,
};

#define AIRTCP_CHANNELS_2GHZ 13
#define AIRTCP_CHANNELS_6GHZ 59

static u32 airtcp_channel_count(enum nl80211_band band)
{
	return band == NL80211_BAND_2GHZ ? AIRTCP_CHANNELS_2GHZ :
	       band == NL80211_BAND_6GHZ ? AIRTCP_CHANNELS_6GHZ :
					   ARRAY_SIZE(airtcp_channels_5ghz);
}

static u32 airtcp_channel_number(enum nl80211_band band, u32 i)
{
	return band == NL80211_BAND_2GHZ ? 1 + i :
	       band == NL80211_BAND_6GHZ ? 1 + 4 * i :
					   airtcp_channels_5ghz[i];
}

static int airtcp_set_channels(struct airtcp_radio *radio, enum nl80211_band band)
{
	struct ieee80211_supported_band *sband = &radio->bands[band];
	u32 i, n = airtcp_channel_count(band);
	struct ieee80211_channel *channels;

	channels = kcalloc(n, sizeof(*channels), GFP_KERNEL);
	if (!channels)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		u32 number = airtcp_channel_number(band, i);

		channels[i].band = band;
		channels[i].hw_value = number;
		channels[i].center_freq = ieee80211_channel_to_frequency(number, band);
		channels[i].max_power = radio->config.power_dbm;
	}
	sband->channels = channels;
	sband->n_channels = n;
	return 0;
}

static int airtcp_set_rates(struct airtcp_radio *radio, enum nl80211_band band)
{
	struct ieee80211_supported_band *sband = &radio->bands[band];
	u32 first = band == NL80211_BAND_2GHZ ? 0 : AIRTCP_DSSS_RATES;
	u32 n = ARRAY_SIZE(airtcp_rates_table) - first;

	if (radio->config.phy == AIRTCP_PHY_DSSS)
		n = AIRTCP_DSSS_RATES;
	sband->bitrates =
		kmemdup(airtcp_rates_table + first, n * sizeof(*sband->bitrates), GFP_KERNEL);
	sband->n_bitrates = n;
	return sband->bitrates ? 0 : -ENOMEM;
}

/* Exponent of the longest A-MPDU: 2^(13 + e) - 1 octets (9.4.2.55.3, 9.4.2.157.2). */
static u32 airtcp_ampdu_exponent(const struct airtcp_radio *radio, u32 most)
{
	u32 exponent = ilog2(max(radio->config.ampdu_bytes, 8191U) + 1) - 13;

	return min(exponent, most);
}

static void airtcp_set_ht(struct airtcp_radio *radio, enum nl80211_band band)
{
	struct ieee80211_sta_ht_cap *ht = &radio->bands[band].ht_cap;
	u32 i;

	ht->ht_supported = true;
	ht->cap = IEEE80211_HT_CAP_SM_PS; /* disabled: all chains listen */
	if (radio->config.width_mhz >= 40)
		ht->cap |= IEEE80211_HT_CAP_SUP_WIDTH_20_40;
	if (radio->config.short_guard)
		ht->cap |= IEEE80211_HT_CAP_SGI_20 | IEEE80211_HT_CAP_SGI_40;
	if (radio->config.ldpc)
		ht->cap |= IEEE80211_HT_CAP_LDPC_CODING;
	if (radio->config.mpdu_bytes > 3895)
		ht->cap |= IEEE80211_HT_CAP_MAX_AMSDU;
	if (band == NL80211_BAND_2GHZ)
		ht->cap |= IEEE80211_HT_CAP_DSSSCCK40;
	ht->ampdu_factor = airtcp_ampdu_exponent(radio, IEEE80211_HT_MAX_AMPDU_64K);
	ht->ampdu_density = radio->config.mpdu_density;
	for (i = 0; i < min_t(u32, radio->config.streams, 4); i++)
		ht->mcs.rx_mask[i] = 0xff;
	ht->mcs.tx_params = IEEE80211_HT_MCS_TX_DEFINED;
}

/* Two bits for each number of streams; the same in VHT and HE: up to the highest MCS, or none. */
static __le16 airtcp_mcs_map(const struct airtcp_radio *radio, u32 highest)
{
	u16 map = 0xffff;
	u32 i;

	for (i = 0; i < min_t(u32, radio->config.streams, 8); i++) {
		map &= ~(3 << 2 * i);
		map |= highest << 2 * i;
	}
	return cpu_to_le16(map);
}

static void airtcp_set_vht(struct airtcp_radio *radio)
{
	struct ieee80211_sta_vht_cap *vht = &radio->bands[NL80211_BAND_5GHZ].vht_cap;

	vht->vht_supported = true;
	vht->cap = airtcp_ampdu_exponent(radio, 7)
		   << IEEE80211_VHT_CAP_MAX_A_MPDU_LENGTH_EXPONENT_SHIFT;
	if (radio->config.mpdu_bytes > 7991)
		vht->cap |= IEEE80211_VHT_CAP_MAX_MPDU_LENGTH_11454;
	else if (radio->config.mpdu_bytes > 3895)
		vht->cap |= IEEE80211_VHT_CAP_MAX_MPDU_LENGTH_7991;
	if (radio->config.width_mhz >= 160)
		vht->cap |= IEEE80211_VHT_CAP_SUPP_CHAN_WIDTH_160MHZ;
	if (radio->config.ldpc)
		vht->cap |= IEEE80211_VHT_CAP_RXLDPC;
	if (radio->config.short_guard)
		vht->cap |= IEEE80211_VHT_CAP_SHORT_GI_80;
	if (radio->config.short_guard && radio->config.width_mhz >= 160)
		vht->cap |= IEEE80211_VHT_CAP_SHORT_GI_160;
	vht->vht_mcs.rx_mcs_map = airtcp_mcs_map(radio, IEEE80211_VHT_MCS_SUPPORT_0_9);
	vht->vht_mcs.tx_mcs_map = vht->vht_mcs.rx_mcs_map;
}

static u8 airtcp_he_widths(const struct airtcp_radio *radio, enum nl80211_band band)
{
	u8 widths = 0;

	if (band == NL80211_BAND_2GHZ)
		return radio->config.width_mhz >= 40 ?
			       IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_40MHZ_IN_2G :
			       0;
	/* Outside 2.4 GHz one bit covers 40 and 80 MHz; without it only 20 MHz remains. */
	if (radio->config.width_mhz >= 40)
		widths |= IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_40MHZ_80MHZ_IN_5G;
	if (radio->config.width_mhz >= 160)
		widths |= IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_160MHZ_IN_5G;
	return widths;
}

static void airtcp_set_he(struct airtcp_radio *radio, enum nl80211_band band)
{
	struct ieee80211_sband_iftype_data *data = &radio->iftype[band];
	struct ieee80211_he_cap_elem *elem = &data->he_cap.he_cap_elem;
	struct ieee80211_he_mcs_nss_supp *mcs = &data->he_cap.he_mcs_nss_supp;
	/* Longer than HT (2.4 GHz) or VHT can announce (9.4.2.248.2). */
	u32 base = band == NL80211_BAND_2GHZ ? 3 : 7;
	u32 extension = airtcp_ampdu_exponent(radio, base + 3);

	data->types_mask = BIT(NL80211_IFTYPE_STATION) | BIT(NL80211_IFTYPE_AP) |
			   BIT(NL80211_IFTYPE_MESH_POINT);
	data->he_cap.has_he = true;
	elem->mac_cap_info[0] = IEEE80211_HE_MAC_CAP0_HTC_HE;
	if (extension > base)
		elem->mac_cap_info[3] |= (extension - base) << 3;
	elem->phy_cap_info[0] = airtcp_he_widths(radio, band);
	elem->phy_cap_info[1] = IEEE80211_HE_PHY_CAP1_LDPC_CODING_IN_PAYLOAD;
	mcs->rx_mcs_80 = airtcp_mcs_map(radio, IEEE80211_HE_MCS_SUPPORT_0_11);
	mcs->tx_mcs_80 = mcs->rx_mcs_80;
	mcs->rx_mcs_160 = cpu_to_le16(0xffff);
	if (elem->phy_cap_info[0] & IEEE80211_HE_PHY_CAP0_CHANNEL_WIDTH_SET_160MHZ_IN_5G)
		mcs->rx_mcs_160 = mcs->rx_mcs_80;
	mcs->tx_mcs_160 = mcs->rx_mcs_160;
	mcs->rx_mcs_80p80 = cpu_to_le16(0xffff);
	mcs->tx_mcs_80p80 = cpu_to_le16(0xffff);
}

/* At 6 GHz this replaces the capabilities of HT and VHT (9.4.2.263). */
static void airtcp_set_6ghz(struct airtcp_radio *radio)
{
	u8 density = radio->config.mpdu_density;
	u16 capa = IEEE80211_HE_6GHZ_CAP_SM_PS |
		   u16_encode_bits(density, IEEE80211_HE_6GHZ_CAP_MIN_MPDU_START);

	capa |= u16_encode_bits(airtcp_ampdu_exponent(radio, 7),
				IEEE80211_HE_6GHZ_CAP_MAX_AMPDU_LEN_EXP);
	if (radio->config.mpdu_bytes > 7991)
		capa |= u16_encode_bits(2, IEEE80211_HE_6GHZ_CAP_MAX_MPDU_LEN);
	else if (radio->config.mpdu_bytes > 3895)
		capa |= u16_encode_bits(1, IEEE80211_HE_6GHZ_CAP_MAX_MPDU_LEN);
	radio->iftype[NL80211_BAND_6GHZ].he_6ghz_capa.capa = cpu_to_le16(capa);
}

#if AIRTCP_HAS_EHT
/* Streams received and sent, for each range of MCS (9.4.2.313.4). */
static void airtcp_set_eht_mcs(struct ieee80211_eht_mcs_nss_supp_bw *mcs, u32 streams)
{
	u8 both = streams << 4 | streams;

	mcs->rx_tx_mcs9_max_nss = both;
	mcs->rx_tx_mcs11_max_nss = both;
	mcs->rx_tx_mcs13_max_nss = both;
}

static void airtcp_set_eht(struct airtcp_radio *radio, enum nl80211_band band)
{
	struct ieee80211_sband_iftype_data *data = &radio->iftype[band];
	struct ieee80211_sta_eht_cap *eht = &data->eht_cap;
	u32 streams = min_t(u32, radio->config.streams, 8);

	eht->has_eht = true;
	if (radio->config.width_mhz == 20) {
		struct ieee80211_eht_mcs_nss_supp_20mhz_only *only =
			&eht->eht_mcs_nss_supp.only_20mhz;
		u8 both = streams << 4 | streams;

		only->rx_tx_mcs7_max_nss = both;
		only->rx_tx_mcs9_max_nss = both;
		only->rx_tx_mcs11_max_nss = both;
		only->rx_tx_mcs13_max_nss = both;
		return;
	}
	airtcp_set_eht_mcs(&eht->eht_mcs_nss_supp.bw._80, streams);
	if (band != NL80211_BAND_2GHZ && radio->config.width_mhz >= 160)
		airtcp_set_eht_mcs(&eht->eht_mcs_nss_supp.bw._160, streams);
	if (band == NL80211_BAND_6GHZ && radio->config.width_mhz >= 320) {
		eht->eht_cap_elem.phy_cap_info[0] |= IEEE80211_EHT_PHY_CAP0_320MHZ_IN_6GHZ;
		airtcp_set_eht_mcs(&eht->eht_mcs_nss_supp.bw._320, streams);
	}
}
#else
static void airtcp_set_eht(struct airtcp_radio *radio, enum nl80211_band band)
{
}
#endif

static void airtcp_set_iftype(struct airtcp_radio *radio, enum nl80211_band band)
{
	struct ieee80211_supported_band *sband = &radio->bands[band];

#if AIRTCP_HAS_IFTYPE_DATA_SETTER
	_ieee80211_set_sband_iftype_data(sband, &radio->iftype[band], 1);
#else
	sband->iftype_data = &radio->iftype[band];
	sband->n_iftype_data = 1;
#endif
}

static int airtcp_set_band(struct airtcp_radio *radio, enum nl80211_band band)
{
	struct ieee80211_supported_band *sband = &radio->bands[band];
	int err;

	sband->band = band;
	err = airtcp_set_channels(radio, band) ?: airtcp_set_rates(radio, band);
	if (err)
		return err;
	if (radio->config.phy >= AIRTCP_PHY_HT && band != NL80211_BAND_6GHZ)
		airtcp_set_ht(radio, band);
	if (radio->config.phy >= AIRTCP_PHY_VHT && band == NL80211_BAND_5GHZ)
		airtcp_set_vht(radio);
	if (radio->config.phy >= AIRTCP_PHY_HE) {
		airtcp_set_he(radio, band);
		if (band == NL80211_BAND_6GHZ)
			airtcp_set_6ghz(radio);
		if (radio->config.phy >= AIRTCP_PHY_EHT)
			airtcp_set_eht(radio, band);
		airtcp_set_iftype(radio, band);
	}
	radio->hw->wiphy->bands[band] = sband;
	return 0;
}

/* An IBSS has its own beacon times, so it can be combined with stations only. */
static const struct ieee80211_iface_limit airtcp_limits[] = {
	{ .max = AIRTCP_VIFS,
	  .types = BIT(NL80211_IFTYPE_STATION) | BIT(NL80211_IFTYPE_AP) |
		   BIT(NL80211_IFTYPE_MESH_POINT) },
};

static const struct ieee80211_iface_limit airtcp_ibss_limits[] = {
	{ .max = 1, .types = BIT(NL80211_IFTYPE_ADHOC) },
	{ .max = AIRTCP_VIFS - 1, .types = BIT(NL80211_IFTYPE_STATION) },
};

static const struct ieee80211_iface_combination airtcp_combinations[] = {
	{
		.limits = airtcp_limits,
		.n_limits = ARRAY_SIZE(airtcp_limits),
		.max_interfaces = AIRTCP_VIFS,
		.num_different_channels = 1,
	},
	{
		.limits = airtcp_ibss_limits,
		.n_limits = ARRAY_SIZE(airtcp_ibss_limits),
		.max_interfaces = AIRTCP_VIFS,
		.num_different_channels = 1,
	},
};

static void airtcp_set_wiphy(struct airtcp_radio *radio)
{
	const struct airtcp_radio_config *config = &radio->config;
	struct wiphy *wiphy = radio->hw->wiphy;

	wiphy->interface_modes = BIT(NL80211_IFTYPE_STATION) | BIT(NL80211_IFTYPE_AP) |
				 BIT(NL80211_IFTYPE_ADHOC) | BIT(NL80211_IFTYPE_MESH_POINT);
	wiphy->iface_combinations = airtcp_combinations;
	wiphy->n_iface_combinations = ARRAY_SIZE(airtcp_combinations);
	/* Further interfaces differ in bits of the first octet; all have local addresses. */
	wiphy->addr_mask[0] = 0x3c;
	wiphy->regulatory_flags |= REGULATORY_WIPHY_SELF_MANAGED;
	wiphy->reg_notifier = airtcp_reg_notifier;
	wiphy->flags |= WIPHY_FLAG_IBSS_RSN | WIPHY_FLAG_HAS_CHANNEL_SWITCH;
	if (!config->power_save)
		wiphy->flags &= ~WIPHY_FLAG_PS_ON_BY_DEFAULT;
	if (config->uapsd)
		wiphy->flags |= WIPHY_FLAG_AP_UAPSD;
	wiphy->rts_threshold = config->rts_threshold_bytes;
	wiphy->retry_short = config->short_retry_limit;
	wiphy->retry_long = config->long_retry_limit;
	wiphy->txq_limit = config->txq_packets;
	wiphy->txq_memory_limit = config->txq_bytes;
	wiphy->txq_quantum = config->txq_quantum_bytes;
	wiphy->available_antennas_tx = BIT(config->streams) - 1;
	wiphy->available_antennas_rx = wiphy->available_antennas_tx;
	wiphy_ext_feature_set(wiphy, NL80211_EXT_FEATURE_CQM_RSSI_LIST);
	wiphy_ext_feature_set(wiphy, NL80211_EXT_FEATURE_ACK_SIGNAL_SUPPORT);
	/* mac80211 computes the integrity code; it leaves out the timestamp. */
	wiphy_ext_feature_set(wiphy, NL80211_EXT_FEATURE_BEACON_PROTECTION);
	if (config->airtime_fairness)
		wiphy_ext_feature_set(wiphy, NL80211_EXT_FEATURE_AIRTIME_FAIRNESS);
	if (config->aql)
		wiphy_ext_feature_set(wiphy, NL80211_EXT_FEATURE_AQL);
}

static void airtcp_set_hw(struct airtcp_radio *radio)
{
	const struct airtcp_radio_config *config = &radio->config;
	struct ieee80211_hw *hw = radio->hw;

	ieee80211_hw_set(hw, SIGNAL_DBM);
	ieee80211_hw_set(hw, REPORTS_TX_ACK_STATUS);
	ieee80211_hw_set(hw, HOST_BROADCAST_PS_BUFFERING);
	ieee80211_hw_set(hw, MFP_CAPABLE);
	ieee80211_hw_set(hw, SUPPORT_FAST_XMIT);
	ieee80211_hw_set(hw, SUPPORTS_CLONED_SKBS);
	ieee80211_hw_set(hw, SUPPORTS_PER_STA_GTK);
	ieee80211_hw_set(hw, SUPPORTS_PS);
	/* With U-APSD the driver acts for the hardware: mac80211 sends no triggers. */
	if (config->uapsd)
		ieee80211_hw_set(hw, SUPPORTS_DYNAMIC_PS);
	else
		ieee80211_hw_set(hw, PS_NULLFUNC_STACK);
	ieee80211_hw_set(hw, CHANCTX_STA_CSA);
	ieee80211_hw_set(hw, NO_AUTO_VIF);
	if (config->phy >= AIRTCP_PHY_HT && config->ba_window > 1)
		ieee80211_hw_set(hw, AMPDU_AGGREGATION);
	if (config->own_rate_control)
		ieee80211_hw_set(hw, HAS_RATE_CONTROL);
	hw->queues = IEEE80211_NUM_ACS;
	hw->max_rates = AIRTCP_STAGES;
	hw->max_report_rates = AIRTCP_STAGES;
	hw->max_rate_tries = 7;
	hw->vif_data_size = sizeof(struct airtcp_vif);
	hw->sta_data_size = sizeof(struct airtcp_sta);
	hw->txq_data_size = sizeof(struct airtcp_txq);
	hw->max_tx_aggregation_subframes = config->ba_window;
	hw->max_rx_aggregation_subframes = config->ba_window;
	if (config->uapsd) {
		hw->uapsd_queues = IEEE80211_WMM_IE_STA_QOSINFO_AC_MASK;
		hw->uapsd_max_sp_len = IEEE80211_WMM_IE_STA_QOSINFO_SP_ALL;
	}
	/* Radiotap fields that mac80211 does not report by default. */
	hw->radiotap_mcs_details |= IEEE80211_RADIOTAP_MCS_HAVE_FMT |
				    IEEE80211_RADIOTAP_MCS_HAVE_FEC |
				    IEEE80211_RADIOTAP_MCS_HAVE_STBC;
	hw->radiotap_vht_details |= IEEE80211_RADIOTAP_VHT_KNOWN_STBC;
	/* The medium loses frames but never corrupts them. */
	hw->netdev_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_RXCSUM | NETIF_F_HIGHDMA;
}

int airtcp_radio_set_caps(struct airtcp_radio *radio)
{
	int err = 0;

	airtcp_set_wiphy(radio);
	airtcp_set_hw(radio);
	if (radio->config.bands & AIRTCP_BAND_2GHZ)
		err = airtcp_set_band(radio, NL80211_BAND_2GHZ);
	if (!err && radio->config.bands & AIRTCP_BAND_5GHZ)
		err = airtcp_set_band(radio, NL80211_BAND_5GHZ);
	if (!err && radio->config.bands & AIRTCP_BAND_6GHZ)
		err = airtcp_set_band(radio, NL80211_BAND_6GHZ);
	return err ?: airtcp_survey_init(radio);
}
