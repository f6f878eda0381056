// SPDX-License-Identifier: GPL-2.0
/*
 * Sends beacons at their target times, and the group frames buffered until then.
 *
 * Each interface that sends beacons has an event of the calendar, which only
 * schedules the poll, as a hard interrupt does. In an IBSS every station waits for
 * a random delay, and cancels its beacon if it receives one meanwhile (IEEE
 * 802.11-2020, 11.1.3.5).
 */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include "driver.h"

static LIST_HEAD(airtcp_beacons_due);

static void airtcp_beacon_fire(struct time_travel_event *event)
{
	struct airtcp_vif *avif = container_of(event, struct airtcp_vif, tbtt);

	if (list_empty(&avif->due_list))
		list_add_tail(&avif->due_list, &airtcp_beacons_due);
	airtcp_poll_soon();
}

void airtcp_beacon_init(struct airtcp_vif *avif)
{
	INIT_LIST_HEAD(&avif->due_list);
	time_travel_set_event_fn(&avif->tbtt, airtcp_beacon_fire);
}

static void airtcp_beacon_event(struct airtcp_vif *avif, u64 wait_ns)
{
	if (avif->tbtt.pending)
		time_travel_del_event(&avif->tbtt);
	time_travel_add_event_rel(&avif->tbtt, wait_ns);
}

/* The next multiple of the interval of the TSF timer. */
static void airtcp_beacon_arm(struct airtcp_vif *avif)
{
	avif->delayed = false;
	airtcp_beacon_event(avif, airtcp_tsf_wait_ns(avif->radio, avif->interval_ns));
}

void airtcp_beacon_end(struct airtcp_vif *avif)
{
	unsigned long flags;

	local_irq_save(flags);
	if (avif->interval_ns)
		avif->radio->beaconing--;
	avif->interval_ns = 0;
	list_del_init(&avif->due_list);
	if (avif->tbtt.pending)
		time_travel_del_event(&avif->tbtt);
	local_irq_restore(flags);
}

/* A time unit is 1024 us (IEEE 802.11-2020, 3.1). */
void airtcp_beacon_change(struct airtcp_vif *avif)
{
	const struct ieee80211_bss_conf *conf = &avif->vif->bss_conf;
	unsigned long flags;

	airtcp_beacon_end(avif);
	if (!conf->enable_beacon || !conf->beacon_int)
		return;
	local_irq_save(flags);
	/* An IBSS keeps the timer of its network when it returns from a scan. */
	if (!avif->radio->beaconing && avif->vif->type != NL80211_IFTYPE_ADHOC)
		airtcp_tsf_own(avif->radio);
	avif->interval_ns = (u64)conf->beacon_int * 1024 * NSEC_PER_USEC;
	avif->radio->beaconing++;
	airtcp_beacon_arm(avif);
	local_irq_restore(flags);
}

/* Between 0 and twice the smallest contention window of best effort, in slots. */
static bool airtcp_beacon_waits(struct airtcp_vif *avif)
{
	u32 slot_us = avif->vif->bss_conf.use_short_slot ? 9 : 20;
	u32 slots;

	if (avif->vif->type != NL80211_IFTYPE_ADHOC || avif->delayed)
		return false;
	slots = get_random_u32() % (2 * 15 + 1);
	avif->delayed = true;
	airtcp_beacon_event(avif, (u64)slots * slot_us * NSEC_PER_USEC);
	return true;
}

struct airtcp_heard {
	const u8 *bssid;
	s64 ahead_us; /* the sender's timer minus ours */
};

static void airtcp_beacon_follow(struct airtcp_radio *radio, s64 ahead_us)
{
	radio->tsf_offset_us += ahead_us;
	radio->follows = true;
}

/*
 * Timers follow that of the access point; in an IBSS, the fastest timer (IEEE
 * 802.11-2020, 11.1.2 and 11.1.3.8).
 */
static void airtcp_beacon_of_ours(void *data, u8 *mac, struct ieee80211_vif *vif)
{
	struct airtcp_vif *avif = airtcp_vif(vif);
	const struct airtcp_heard *heard = data;
	struct airtcp_radio *radio = avif->radio;

	if (!ether_addr_equal(heard->bssid, vif->bss_conf.bssid))
		return;
	if (vif->type == NL80211_IFTYPE_STATION && vif->cfg.assoc && !radio->beaconing)
		airtcp_beacon_follow(radio, heard->ahead_us);
	if (vif->type != NL80211_IFTYPE_ADHOC || !avif->interval_ns)
		return;
	radio->sent_beacon = false;
	if (heard->ahead_us > 0)
		airtcp_beacon_follow(radio, heard->ahead_us);
	/* Another station has sent the beacon, or our target times have changed. */
	if (avif->delayed || heard->ahead_us > 0) {
		list_del_init(&avif->due_list);
		airtcp_beacon_arm(avif);
	}
}

/* A beacon, with the time of its first octet. */
void airtcp_beacon_heard(struct airtcp_radio *radio, struct sk_buff *skb)
{
	const struct ieee80211_rx_status *status = IEEE80211_SKB_RXCB(skb);
	const struct ieee80211_mgmt *mgmt = (const void *)skb->data;
	struct airtcp_heard heard = {
		.bssid = mgmt->bssid,
		.ahead_us = le64_to_cpu(mgmt->u.beacon.timestamp) - status->mactime,
	};

	ieee80211_iterate_active_interfaces_atomic(radio->hw, IEEE80211_IFACE_ITER_NORMAL,
						   airtcp_beacon_of_ours, &heard);
}

/* Whether this beacon was the last before a new channel or colour. */
static bool airtcp_beacon_counted(const struct ieee80211_vif *vif)
{
	if (!vif->bss_conf.csa_active && !vif->bss_conf.color_change_active)
		return false;
#if AIRTCP_HAS_LINK_COUNTDOWNS
	return ieee80211_beacon_cntdwn_is_complete((struct ieee80211_vif *)vif, 0);
#else
	return ieee80211_beacon_cntdwn_is_complete((struct ieee80211_vif *)vif);
#endif
}

static void airtcp_beacon_change_over(struct ieee80211_vif *vif)
{
#if AIRTCP_HAS_LINK_COUNTDOWNS
	if (vif->bss_conf.csa_active)
		ieee80211_csa_finish(vif, 0);
	if (vif->bss_conf.color_change_active)
		ieee80211_color_change_finish(vif, 0);
#else
	if (vif->bss_conf.csa_active)
		ieee80211_csa_finish(vif);
	if (vif->bss_conf.color_change_active)
		ieee80211_color_change_finish(vif);
#endif
}

static void airtcp_beacon_done_of(void *data, u8 *mac, struct ieee80211_vif *vif)
{
	struct airtcp_vif *avif = airtcp_vif(vif);
	const struct ieee80211_hdr *hdr = data;

	if (!ether_addr_equal(hdr->addr2, vif->addr))
		return;
	if (vif->type == NL80211_IFTYPE_ADHOC)
		avif->radio->sent_beacon = true;
	if (avif->counted) {
		avif->counted = false;
		airtcp_beacon_change_over(vif);
	}
}

/*
 * A beacon has left. The last one that announces a change must, on the channel that it
 * announces it on, before the radio leaves it.
 */
void airtcp_beacon_done(struct airtcp_radio *radio, const struct sk_buff *skb)
{
	ieee80211_iterate_active_interfaces_atomic(radio->hw, IEEE80211_IFACE_ITER_NORMAL,
						   airtcp_beacon_done_of, skb->data);
}

static void airtcp_beacon_send(struct airtcp_vif *avif)
{
	struct airtcp_radio *radio = avif->radio;
	struct sk_buff *skb = ieee80211_beacon_get(radio->hw, avif->vif, 0);

	if (!skb)
		return;
	airtcp_send_first(radio, skb, IEEE80211_AC_VO);
	if (avif->vif->type == NL80211_IFTYPE_AP)
		while ((skb = ieee80211_get_buffered_bc(radio->hw, avif->vif)))
			airtcp_send_first(radio, skb, IEEE80211_AC_VO);
	avif->counted = airtcp_beacon_counted(avif->vif);
}

/* Soft interrupts are off, and the engine does not run. */
void airtcp_beacon_poll(void)
{
	struct airtcp_vif *avif;

	while ((avif = list_first_entry_or_null(&airtcp_beacons_due, struct airtcp_vif,
						due_list))) {
		list_del_init(&avif->due_list);
		if (!avif->interval_ns || airtcp_beacon_waits(avif))
			continue;
		airtcp_beacon_arm(avif);
		airtcp_beacon_send(avif);
	}
}
