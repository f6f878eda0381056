// SPDX-License-Identifier: GPL-2.0
/*
 * The MPDUs held by the engine. A handle is an index of this table; the index
 * freed last is used first. A repeated run uses the same numbers, which
 * addresses would not guarantee.
 */
#include <linux/slab.h>
#include "driver.h"

#define AIRTCP_SLOTS_EACH  256U
#define AIRTCP_SLOT_BLOCKS 4096U

static struct airtcp_slot *airtcp_slots[AIRTCP_SLOT_BLOCKS];
static u32 airtcp_slot_blocks;
static u32 airtcp_slots_free = AIRTCP_NONE;

struct airtcp_slot *airtcp_slot(u64 handle)
{
	return &airtcp_slots[handle / AIRTCP_SLOTS_EACH][handle % AIRTCP_SLOTS_EACH];
}

static void airtcp_slots_grow(void)
{
	u32 first = airtcp_slot_blocks * AIRTCP_SLOTS_EACH;
	struct airtcp_slot *block;
	u32 i;

	block = kcalloc(AIRTCP_SLOTS_EACH, sizeof(*block), GFP_ATOMIC);
	if (!block || airtcp_slot_blocks == AIRTCP_SLOT_BLOCKS)
		panic("airtcp: no memory for the MPDUs of radios");
	airtcp_slots[airtcp_slot_blocks++] = block;
	for (i = 0; i < AIRTCP_SLOTS_EACH; i++)
		block[i].next = i + 1 < AIRTCP_SLOTS_EACH ? first + i + 1 : AIRTCP_NONE;
	airtcp_slots_free = first;
}

/* The slot takes ownership of the frame, and of the reference to its key. */
u64 airtcp_slot_new(struct airtcp_radio *radio, struct airtcp_txq *queue, struct sk_buff *skb,
		    struct airtcp_key *key)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct airtcp_slot *slot;
	u32 handle;

	airtcp_doze_mark(radio, skb);
	if (airtcp_slots_free == AIRTCP_NONE)
		airtcp_slots_grow();
	handle = airtcp_slots_free;
	slot = airtcp_slot(handle);
	airtcp_slots_free = slot->next;
	*slot = (struct airtcp_slot){
		.skb = skb,
		.radio = radio,
		.key = key,
		.txq = queue ? airtcp_txq_id(queue) : AIRTCP_NONE,
		.generation = queue ? queue->generation : 0,
	};
	slot->aggregable = queue && queue->agreement && info->flags & IEEE80211_TX_CTL_AMPDU;
	return handle;
}

/* The caller has already passed on the frame. */
void airtcp_slot_free(u64 handle)
{
	struct airtcp_slot *slot = airtcp_slot(handle);

	if (slot->key)
		airtcp_key_put(slot->key);
	slot->skb = NULL;
	slot->next = airtcp_slots_free;
	airtcp_slots_free = handle;
}
