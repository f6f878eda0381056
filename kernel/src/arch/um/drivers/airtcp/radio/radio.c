// SPDX-License-Identifier: GPL-2.0
/*
 * Radios of the modelled medium under mac80211: the library is their lower MAC
 * (see airtcp.h), this kernel provides everything above it.
 */
#include <linux/platform_device.h>
#include "driver.h"
#include "radio.h"

static struct airtcp_radio *airtcp_radios[AIRTCP_NICS_MAX];
static bool airtcp_any_radio;

struct airtcp_radio *airtcp_radio_of(u32 index)
{
	return airtcp_radios[index];
}

int airtcp_radio_poll(struct napi_struct *napi, int budget)
{
	int done;

	if (!airtcp_any_radio)
		return 0;
	airtcp_radio_settle();
	airtcp_beacon_poll();
	done = airtcp_rx_poll(napi, budget);
	airtcp_radio_settle();
	return done;
}

#if AIRTCP_HAS_SUSPEND_IN_STOP
static void airtcp_op_stop(struct ieee80211_hw *hw, bool suspend)
#else
static void airtcp_op_stop(struct ieee80211_hw *hw)
#endif
{
	airtcp_stop_radio(hw);
}

static void airtcp_link_info_changed(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
				     struct ieee80211_bss_conf *conf, u64 changed)
{
	if (changed & (BSS_CHANGED_BEACON_ENABLED | BSS_CHANGED_BEACON_INT))
		airtcp_beacon_change(airtcp_vif(vif));
}

static void airtcp_vif_cfg_changed(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u64 changed)
{
	/* Other changes are read from the vif when they are needed. */
	if (changed & BSS_CHANGED_PS)
		airtcp_doze_change(airtcp_vif(vif));
}

static u64 airtcp_get_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	return airtcp_tsf_us(hw->priv, time_travel_now());
}

/* Beacons follow the TSF timer when it is set. */
static void airtcp_offset_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif, s64 offset)
{
	struct airtcp_radio *radio = hw->priv;

	radio->tsf_offset_us += offset;
	airtcp_beacon_change(airtcp_vif(vif));
}

static void airtcp_set_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u64 tsf)
{
	airtcp_offset_tsf(hw, vif, tsf - airtcp_get_tsf(hw, vif));
}

/* Whether this station answers broadcast probe requests in its IBSS (11.1.4.3.4). */
static int airtcp_tx_last_beacon(struct ieee80211_hw *hw)
{
	struct airtcp_radio *radio = hw->priv;

	return radio->sent_beacon;
}

static int airtcp_set_tim(struct ieee80211_hw *hw, struct ieee80211_sta *sta, bool set)
{
	return 0; /* each beacon is fetched when it is due */
}

static int airtcp_set_rts_threshold(struct ieee80211_hw *hw, AIRTCP_RADIO_IDX u32 value)
{
	return 0; /* rate control sets RTS in each stage */
}

static int airtcp_get_antenna(struct ieee80211_hw *hw, AIRTCP_RADIO_IDX u32 *tx, u32 *rx)
{
	struct airtcp_radio *radio = hw->priv;

	*tx = *rx = BIT(radio->config.streams) - 1;
	return 0;
}

/* Only all antennas can be set: the plan determines their number. */
static int airtcp_set_antenna(struct ieee80211_hw *hw, AIRTCP_RADIO_IDX u32 tx, u32 rx)
{
	struct airtcp_radio *radio = hw->priv;
	u32 all = BIT(radio->config.streams) - 1;

	return (tx & all) == all && (rx & all) == all ? 0 : -EOPNOTSUPP;
}

static const struct ieee80211_ops airtcp_radio_ops = {
	.tx = airtcp_tx,
	.wake_tx_queue = airtcp_wake_tx_queue,
	.start = airtcp_start,
	.stop = airtcp_op_stop,
	.add_interface = airtcp_add_interface,
	.change_interface = airtcp_change_interface,
	.remove_interface = airtcp_remove_interface,
	.config = airtcp_config,
	.configure_filter = airtcp_configure_filter,
	.link_info_changed = airtcp_link_info_changed,
	.vif_cfg_changed = airtcp_vif_cfg_changed,
	.conf_tx = airtcp_conf_tx,
	.flush = airtcp_flush,
	.sta_add = airtcp_sta_add,
	.sta_remove = airtcp_sta_remove,
	.sta_notify = airtcp_sta_notify,
	.sta_statistics = airtcp_sta_statistics,
	.ampdu_action = airtcp_ampdu_action,
	.set_tim = airtcp_set_tim,
	.tx_last_beacon = airtcp_tx_last_beacon,
	.get_survey = airtcp_get_survey,
	.release_buffered_frames = airtcp_release_buffered_frames,
	.allow_buffered_frames = airtcp_allow_buffered_frames,
	.set_key = airtcp_set_key,
	.get_tsf = airtcp_get_tsf,
	.set_tsf = airtcp_set_tsf,
	.offset_tsf = airtcp_offset_tsf,
	.set_rts_threshold = airtcp_set_rts_threshold,
	.get_antenna = airtcp_get_antenna,
	.set_antenna = airtcp_set_antenna,
#if AIRTCP_HAS_CHANCTX_EMULATION
	.add_chanctx = ieee80211_emulate_add_chanctx,
	.remove_chanctx = ieee80211_emulate_remove_chanctx,
	.change_chanctx = ieee80211_emulate_change_chanctx,
	.switch_vif_chanctx = ieee80211_emulate_switch_vif_chanctx,
#endif
};

static void __init airtcp_radio_once(void)
{
	if (airtcp_any_radio)
		return;
	airtcp_any_radio = true;
	airtcp_txqs_init();
	airtcp_rx_init();
}

static struct airtcp_radio *__init airtcp_radio_alloc(u32 index,
						      const struct airtcp_nic_config *nic)
{
	struct airtcp_radio *radio;
	struct ieee80211_hw *hw;
	char name[IFNAMSIZ];
	int ac;

	snprintf(name, sizeof(name), "air%u", index);
	hw = ieee80211_alloc_hw_nm(sizeof(*radio), &airtcp_radio_ops, name);
	if (!hw)
		return NULL;
	radio = hw->priv;
	radio->hw = hw;
	radio->index = index;
	radio->gro = nic->gro;
	radio->rx_copy = nic->rx_copy;
	radio->moderated = nic->moderated;
	airtcp_rx_radio_init(radio);
	INIT_LIST_HEAD(&radio->keys);
	for (ac = 0; ac < IEEE80211_NUM_ACS; ac++) {
		INIT_LIST_HEAD(&radio->backlogged[ac]);
		INIT_LIST_HEAD(&radio->draining[ac]);
	}
	airtcp_engine.radio(index, &radio->config);
	radio->power_dbm = radio->config.power_dbm;
	radio->tsf_offset_us = radio->config.tsf_us;
	return radio;
}

int __init airtcp_radio_add(unsigned int index, const struct airtcp_nic_config *nic)
{
	struct platform_device *device;
	struct airtcp_radio *radio;
	int err;

	airtcp_radio_once();
	device = platform_device_register_simple("airtcp", index, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	radio = airtcp_radio_alloc(index, nic);
	if (!radio)
		return -ENOMEM;
	airtcp_radios[index] = radio;
	SET_IEEE80211_DEV(radio->hw, &device->dev);
	SET_IEEE80211_PERM_ADDR(radio->hw, nic->mac);
	radio->hw->tx_sk_pacing_shift = nic->pacing_shift;
	err = airtcp_radio_set_caps(radio);
	if (err)
		return err;
	err = ieee80211_register_hw(radio->hw);
	return err ? err : airtcp_radio_set_regdomain(radio, "99");
}

void __init airtcp_radio_serve(struct airtcp_host *host)
{
	host->next_txq = airtcp_next_txq;
	host->dequeue = airtcp_dequeue;
	host->return_txq = airtcp_return_txq;
	host->has = airtcp_has;
	host->uplink_txq = airtcp_uplink_txq;
	host->depth = airtcp_depth;
	host->rates = airtcp_rates;
	host->ppdu_done = airtcp_ppdu_done;
	host->mpdu_done = airtcp_mpdu_done;
	host->rx = airtcp_rx;
	host->rx_control = airtcp_rx_control;
	host->rx_interrupt = airtcp_rx_interrupt;
}
