// SPDX-License-Identifier: GPL-2.0
/*
 * Radios and their interfaces: up and down, addresses, channel, power, channel
 * access.
 */
#include <linux/delay.h>
#include "driver.h"

static u32 airtcp_width_mhz(enum nl80211_chan_width width)
{
	switch (width) {
	case NL80211_CHAN_WIDTH_40:
		return 40;
	case NL80211_CHAN_WIDTH_80:
		return 80;
	case NL80211_CHAN_WIDTH_160:
		return 160;
	case NL80211_CHAN_WIDTH_320:
		return 320;
	default:
		return 20;
	}
}

static void airtcp_update_channel(struct airtcp_radio *radio)
{
	const struct cfg80211_chan_def *def = &radio->hw->conf.chandef;
	struct airtcp_channel channel = {};

	if (radio->started && !radio->idle && def->chan) {
		channel.primary_mhz = def->chan->center_freq;
		channel.centre_mhz = def->center_freq1;
		channel.width_mhz = airtcp_width_mhz(def->width);
	}
	local_bh_disable();
	airtcp_survey_tuned(radio, channel.primary_mhz ? def->chan : NULL);
	airtcp_engine.channel(radio->index, &channel, time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

/* An idle radio sleeps: it is on no channel, hears nothing and acknowledges nothing. */
static void airtcp_update_idle(struct airtcp_radio *radio)
{
	radio->idle = radio->hw->conf.flags & IEEE80211_CONF_IDLE;
}

int airtcp_start(struct ieee80211_hw *hw)
{
	struct airtcp_radio *radio = hw->priv;

	radio->started = true;
	airtcp_update_idle(radio);
	airtcp_update_channel(radio);
	return 0;
}

void airtcp_stop_radio(struct ieee80211_hw *hw)
{
	struct airtcp_radio *radio = hw->priv;

	local_bh_disable();
	airtcp_engine.stop_radio(radio->index, time_travel_now());
	airtcp_radio_settle();
	airtcp_rx_radio_stop(radio);
	radio->started = false;
	airtcp_arm();
	local_bh_enable();
	airtcp_update_channel(radio);
}

static void airtcp_update_address(struct airtcp_radio *radio, const u8 *address, bool add)
{
	local_bh_disable();
	airtcp_engine.address(radio->index, address, add, time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

static void airtcp_update_uapsd(struct airtcp_radio *radio, struct ieee80211_vif *vif,
				enum nl80211_iftype type)
{
	if (type == NL80211_IFTYPE_STATION && radio->config.uapsd)
		vif->driver_flags |= IEEE80211_VIF_SUPPORTS_UAPSD;
	else
		vif->driver_flags &= ~IEEE80211_VIF_SUPPORTS_UAPSD;
}

int airtcp_add_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	struct airtcp_radio *radio = hw->priv;
	struct airtcp_vif *avif = airtcp_vif(vif);
	int ac;

	memset(avif, 0, sizeof(*avif));
	avif->vif = vif;
	avif->radio = radio;
	airtcp_beacon_init(avif);
	airtcp_txq_init(radio, vif->txq);
	airtcp_update_uapsd(radio, vif, vif->type);
	for (ac = 0; ac < IEEE80211_NUM_ACS; ac++)
		vif->hw_queue[ac] = ac;
	airtcp_update_address(radio, vif->addr, true);
	radio->interfaces++;
	return 0;
}

int airtcp_change_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			    enum nl80211_iftype type, bool p2p)
{
	struct airtcp_radio *radio = hw->priv;

	/* mac80211 has ended what the interface did: its queues and beacons. */
	airtcp_update_uapsd(radio, vif, type);
	if (radio->interfaces == 1)
		airtcp_tsf_own(radio);
	return 0;
}

void airtcp_remove_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	struct airtcp_radio *radio = hw->priv;

	airtcp_beacon_end(airtcp_vif(vif));
	airtcp_txq_end(vif->txq);
	airtcp_update_address(radio, vif->addr, false);
	if (!--radio->interfaces)
		airtcp_tsf_own(radio);
}

static void airtcp_update_power(struct airtcp_radio *radio)
{
	int dbm = radio->hw->conf.power_level;

	if (dbm == radio->power_dbm)
		return;
	radio->power_dbm = dbm;
	local_bh_disable();
	airtcp_engine.tx_power(radio->index, dbm, time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

static void airtcp_update_monitor(struct airtcp_radio *radio)
{
	bool monitor = radio->hw->conf.flags & IEEE80211_CONF_MONITOR;

	if (monitor == radio->monitor)
		return;
	radio->monitor = monitor;
	local_bh_disable();
	airtcp_engine.monitor(radio->index, monitor, time_travel_now());
	airtcp_arm();
	local_bh_enable();
}

int airtcp_config(struct ieee80211_hw *hw, AIRTCP_RADIO_IDX u32 changed)
{
	struct airtcp_radio *radio = hw->priv;

	if (changed & IEEE80211_CONF_CHANGE_IDLE)
		airtcp_update_idle(radio);
	if (changed & (IEEE80211_CONF_CHANGE_CHANNEL | IEEE80211_CONF_CHANGE_IDLE))
		airtcp_update_channel(radio);
	if (changed & IEEE80211_CONF_CHANGE_POWER)
		airtcp_update_power(radio);
	if (changed & IEEE80211_CONF_CHANGE_MONITOR)
		airtcp_update_monitor(radio);
	return 0;
}

/* mac80211 filters itself; the engine passes these frames, control frames only on request. */
void airtcp_configure_filter(struct ieee80211_hw *hw, unsigned int changed, unsigned int *total,
			     u64 multicast)
{
	struct airtcp_radio *radio = hw->priv;

	*total &= FIF_ALLMULTI | FIF_BCN_PRBRESP_PROMISC | FIF_OTHER_BSS | FIF_PROBE_REQ |
		  FIF_MCAST_ACTION | FIF_CONTROL;
	radio->hears_control = *total & FIF_CONTROL;
}

/*
 * What holds for a station while it is triggered (IEEE 802.11ax-2021, 9.4.2.251); the timer is in
 * units of 8 TU.
 */
static void airtcp_fill_mu_edca(const struct ieee80211_tx_queue_params *params,
				struct airtcp_edca *edca)
{
	const struct ieee80211_he_mu_edca_param_ac_rec *record = &params->mu_edca_param_rec;

	if (!params->mu_edca)
		return;
	edca->mu_edca = 1;
	edca->mu_aifsn = record->aifsn & 0xf;
	edca->mu_cw_min = BIT(record->ecw_min_max & 0xf) - 1;
	edca->mu_cw_max = BIT(record->ecw_min_max >> 4) - 1;
	edca->mu_timer_us = record->mu_edca_timer * 8 * 1024;
}

/* TXOP limits come in units of 32 us (IEEE 802.11-2020, 9.4.2.28). */
int airtcp_conf_tx(struct ieee80211_hw *hw, struct ieee80211_vif *vif, unsigned int link_id, u16 ac,
		   const struct ieee80211_tx_queue_params *params)
{
	struct airtcp_radio *radio = hw->priv;
	struct airtcp_edca edca = {
		.ac = airtcp_ac(ac),
		.aifsn = params->aifs,
		.cw_min = params->cw_min,
		.cw_max = params->cw_max,
		.txop_us = params->txop * 32,
	};

	airtcp_fill_mu_edca(params, &edca);
	if (params->uapsd)
		airtcp_vif(vif)->uapsd |= BIT(ac);
	else
		airtcp_vif(vif)->uapsd &= ~BIT(ac);
	local_bh_disable();
	airtcp_engine.edca(radio->index, &edca, time_travel_now());
	airtcp_arm();
	local_bh_enable();
	return 0;
}

/* Longer than any transmission takes whose receiver still exists. */
#define AIRTCP_FLUSH_MS 200

/*
 * Frames dequeued in advance are the driver's, too: mac80211 is about to replace their key, or
 * to leave their channel.
 */
void airtcp_flush(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u32 queues, bool drop)
{
	struct airtcp_radio *radio = hw->priv;
	int ms;

	for (ms = 0; ms < AIRTCP_FLUSH_MS && !drop; ms++) {
		if (!radio->firsts && airtcp_engine.flushed(radio->index))
			return;
		usleep_range(USEC_PER_MSEC, USEC_PER_MSEC + 1);
	}
}
