// SPDX-License-Identifier: GPL-2.0
/*
 * Power save of stations, as by hardware with U-APSD. mac80211 decides when (cfg.ps)
 * and leaves the rest to the driver. Every frame of a sleeping station announces that
 * it sleeps. When a beacon announces frames for it, a trigger fetches them,
 * until the last has More Data 0; if the access point has no U-APSD,
 * a PS-Poll fetches each (IEEE 802.11-2020, 11.2.3.6 and 11.2.3.7).
 * The radio itself always receives.
 */
#include <linux/etherdevice.h>
#include "driver.h"

static void airtcp_doze_send(struct airtcp_vif *avif, struct sk_buff *skb)
{
	struct airtcp_radio *radio = avif->radio;
	enum nl80211_band band = radio->hw->conf.chandef.chan->band;

	if (!skb)
		return;
	skb_set_queue_mapping(skb, IEEE80211_AC_VO);
	local_bh_disable();
	rcu_read_lock();
	if (ieee80211_tx_prepare_skb(radio->hw, avif->vif, skb, band, NULL))
		airtcp_send_first(radio, skb, IEEE80211_AC_VO);
	rcu_read_unlock();
	local_bh_enable();
}

/* A station without data announces its power state, or triggers, with this frame. */
static void airtcp_doze_announce(struct airtcp_vif *avif)
{
	airtcp_doze_send(avif, ieee80211_nullfunc_get(avif->radio->hw, avif->vif, -1, true));
}

static void airtcp_doze_fetch(struct airtcp_vif *avif)
{
	if (avif->uapsd)
		airtcp_doze_announce(avif);
	else
		airtcp_doze_send(avif, ieee80211_pspoll_get(avif->radio->hw, avif->vif));
}

static bool airtcp_dozes(const struct airtcp_radio *radio, const struct ieee80211_vif *vif)
{
	return radio->config.uapsd && vif->type == NL80211_IFTYPE_STATION && vif->cfg.assoc &&
	       vif->cfg.ps;
}

/* mac80211 starts or ends power save; the frame is marked if the station sleeps. */
void airtcp_doze_change(struct airtcp_vif *avif)
{
	if (avif->radio->config.uapsd && avif->vif->cfg.assoc)
		airtcp_doze_announce(avif);
}

/* Only frames to the access point carry it; in others mac80211 sets the field. */
void airtcp_doze_mark(const struct airtcp_radio *radio, struct sk_buff *skb)
{
	const struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;

	if (!info->control.vif || !airtcp_dozes(radio, info->control.vif) ||
	    info->flags & IEEE80211_TX_CTL_INJECTED)
		return;
	if (ieee80211_is_data(hdr->frame_control) ||
	    (ieee80211_is_mgmt(hdr->frame_control) &&
	     ether_addr_equal(hdr->addr1, info->control.vif->bss_conf.bssid)))
		hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_PM);
}

static bool airtcp_doze_announced(const struct ieee80211_vif *vif, const struct sk_buff *skb)
{
	const struct ieee80211_mgmt *mgmt = (const void *)skb->data;
	size_t fixed = offsetof(struct ieee80211_mgmt, u.beacon.variable);
	const struct element *tim;

	if (skb->len <= fixed)
		return false;
	tim = cfg80211_find_elem(WLAN_EID_TIM, mgmt->u.beacon.variable, skb->len - fixed);
#if AIRTCP_HAS_S1G_TIM
	return tim &&
	       ieee80211_check_tim((const void *)tim->data, tim->datalen, vif->cfg.aid, false);
#else
	return tim && ieee80211_check_tim((const void *)tim->data, tim->datalen, vif->cfg.aid);
#endif
}

/* Whether the frame ends a service period or answers a PS-Poll, with more frames buffered. */
static bool airtcp_doze_more(const struct airtcp_vif *avif, struct sk_buff *skb)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;

	if (!ieee80211_has_moredata(hdr->frame_control) ||
	    !ether_addr_equal(hdr->addr1, avif->vif->addr))
		return false;
	return !avif->uapsd || (ieee80211_is_data_qos(hdr->frame_control) &&
				*ieee80211_get_qos_ctl(hdr) & IEEE80211_QOS_CTL_EOSP);
}

static void airtcp_doze_of_vif(void *data, u8 *mac, struct ieee80211_vif *vif)
{
	struct airtcp_vif *avif = airtcp_vif(vif);
	struct sk_buff *skb = data;
	struct ieee80211_hdr *hdr = (void *)skb->data;

	if (!airtcp_dozes(avif->radio, vif) || !ether_addr_equal(hdr->addr2, vif->bss_conf.bssid))
		return;
	if (ieee80211_is_beacon(hdr->frame_control) ? airtcp_doze_announced(vif, skb) :
						      airtcp_doze_more(avif, skb))
		airtcp_doze_fetch(avif);
}

/* Soft interrupts are off, and the engine does not run. */
void airtcp_doze_heard(struct airtcp_radio *radio, struct sk_buff *skb)
{
	if (radio->config.uapsd)
		ieee80211_iterate_active_interfaces_atomic(radio->hw, IEEE80211_IFACE_ITER_NORMAL,
							   airtcp_doze_of_vif, skb);
}
