// SPDX-License-Identifier: GPL-2.0
/*
 * Encryption as in hardware, but without computing it: frames have the
 * header of CCMP or GCMP (mac80211 writes it, and checks it for replays); the
 * integrity code counts in the length but is absent. A receiver reads a frame if it has
 * the same key for the transmitter; no other receiver can.
 */
#include <linux/slab.h>
#include "driver.h"

static bool airtcp_cipher_known(u32 cipher)
{
	switch (cipher) {
	case WLAN_CIPHER_SUITE_CCMP:
	case WLAN_CIPHER_SUITE_CCMP_256:
	case WLAN_CIPHER_SUITE_GCMP:
	case WLAN_CIPHER_SUITE_GCMP_256:
		return true;
	default:
		return false;
	}
}

static void airtcp_key_release(struct kref *refs)
{
	struct airtcp_key *key = container_of(refs, struct airtcp_key, refs);

	memzero_explicit(key->bytes, sizeof(key->bytes));
	kfree(key);
}

void airtcp_key_put(struct airtcp_key *key)
{
	kref_put(&key->refs, airtcp_key_release);
}

/*
 * The key with which mac80211 sends a frame, or none. Look it up when mac80211 hands over the
 * frame: later it may have been replaced. The caller releases the reference.
 */
struct airtcp_key *airtcp_key_of(struct airtcp_radio *radio, struct sk_buff *skb)
{
	const struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	const struct ieee80211_hdr *hdr = (const void *)skb->data;
	struct airtcp_key *key;

	if (!info->control.hw_key || !ieee80211_has_protected(hdr->frame_control))
		return NULL;
	list_for_each_entry(key, &radio->keys, list) {
		if (key->conf == info->control.hw_key) {
			kref_get(&key->refs);
			return key;
		}
	}
	return NULL;
}

/* Whether a receiver has the key with which a frame from this address was sent. */
bool airtcp_key_known(struct airtcp_radio *radio, const struct airtcp_key *sent, const u8 *from)
{
	struct airtcp_key *key;

	list_for_each_entry(key, &radio->keys, list) {
		if (key->cipher != sent->cipher || key->pairwise != sent->pairwise ||
		    key->keyidx != sent->keyidx || key->len != sent->len)
			continue;
		if (key->of_peer && !ether_addr_equal(key->address, from))
			continue;
		if (!memcmp(key->bytes, sent->bytes, sent->len))
			return true;
	}
	return false;
}

static int airtcp_key_add(struct airtcp_radio *radio, struct ieee80211_sta *sta,
			  struct ieee80211_key_conf *conf)
{
	struct airtcp_key *key = kzalloc(sizeof(*key), GFP_KERNEL);

	if (!key)
		return -ENOMEM;
	kref_init(&key->refs);
	key->conf = conf;
	key->cipher = conf->cipher;
	key->keyidx = conf->keyidx;
	key->len = min_t(u8, conf->keylen, sizeof(key->bytes));
	key->icv_len = conf->icv_len;
	key->pairwise = conf->flags & IEEE80211_KEY_FLAG_PAIRWISE;
	memcpy(key->bytes, conf->key, key->len);
	if (sta) {
		key->of_peer = true;
		ether_addr_copy(key->address, sta->addr);
	}
	conf->flags |= IEEE80211_KEY_FLAG_GENERATE_IV;
	local_bh_disable();
	list_add_tail(&key->list, &radio->keys);
	local_bh_enable();
	return 0;
}

static void airtcp_key_remove(struct airtcp_radio *radio, struct ieee80211_key_conf *conf)
{
	struct airtcp_key *key, *next;

	local_bh_disable();
	list_for_each_entry_safe(key, next, &radio->keys, list) {
		if (key->conf != conf)
			continue;
		list_del(&key->list);
		key->conf = NULL;
		airtcp_key_put(key);
	}
	local_bh_enable();
}

/* mac80211 handles the ciphers refused here: WEP, TKIP, and protection of management frames. */
int airtcp_set_key(struct ieee80211_hw *hw, enum set_key_cmd cmd, struct ieee80211_vif *vif,
		   struct ieee80211_sta *sta, struct ieee80211_key_conf *conf)
{
	struct airtcp_radio *radio = hw->priv;

	if (!radio->config.hardware_crypto || !airtcp_cipher_known(conf->cipher))
		return -EOPNOTSUPP;
	if (cmd == SET_KEY)
		return airtcp_key_add(radio, sta, conf);
	airtcp_key_remove(radio, conf);
	return 0;
}
