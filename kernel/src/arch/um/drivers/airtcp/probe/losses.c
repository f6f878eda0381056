// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that a device, its queue or its wire loses, for a session whose user waits for that.
 *
 * A packet may be freed while the engine runs, which is then not to be called: the losses of an
 * instant are told when it is over.
 */
#include <linux/airtcp_linux.h>
#include <linux/netdevice.h>
#include <trace/events/skb.h>
#include "../engine/engine.h"
#include "../session/session.h"
#include "../wire/wire.h"
#include "observed.h"

/* Losses of one instant that are told. A link that goes down with a full queue has more. */
#define AIRTCP_LOSSES_MAX 256
/* Headers to the ports: 802.11 with LLC, IP with options. */
#define AIRTCP_LOST_BYTES 160

static struct airtcp_loss {
	u32 device;
	u32 where;
	u32 len;
	u32 head_len;
	u8 head[AIRTCP_LOST_BYTES];
} airtcp_losses[AIRTCP_LOSSES_MAX];
static unsigned int airtcp_loss_count;

static void airtcp_note_loss(const struct sk_buff *skb, u32 where)
{
	struct airtcp_watched_device *watched;
	struct airtcp_loss *loss;

	if (!(airtcp_watching & AIRTCP_SESSION_LOSSES) || !skb->dev ||
	    airtcp_loss_count == AIRTCP_LOSSES_MAX)
		return;
	watched = airtcp_find_device(skb->dev);
	if (!watched)
		return;
	loss = &airtcp_losses[airtcp_loss_count++];
	loss->device = watched->device;
	loss->where = where;
	loss->len = skb->len;
	loss->head_len = min_t(u32, skb->len, AIRTCP_LOST_BYTES);
	skb_copy_bits(skb, 0, loss->head, loss->head_len);
	airtcp_has_lost = true;
}

void airtcp_tell_losses(u64 now)
{
	unsigned int i;

	for (i = 0; i < airtcp_loss_count; i++) {
		const struct airtcp_loss *loss = &airtcp_losses[i];
		struct airtcp_packet packet = {
			.head = loss->head,
			.head_len = loss->head_len,
			.len = loss->len,
			.segments = 1,
		};

		airtcp_engine.lost(loss->device, loss->where, now, &packet);
	}
	airtcp_loss_count = 0;
}

static void airtcp_wire_has_lost(const struct sk_buff *skb)
{
	airtcp_note_loss(skb, AIRTCP_LOST_WIRE);
}

/*
 * What is freed as dropped on its way out: its data begins with the header of the link. That
 * of a packet on its way in begins behind it.
 */
static void airtcp_has_dropped(const struct sk_buff *skb)
{
	if (skb_mac_header_was_set(skb) && skb_mac_header(skb) >= skb->data &&
	    !airtcp_wire_discards())
		airtcp_note_loss(skb, AIRTCP_LOST_HERE);
}

#if AIRTCP_TELLS_DROPPING_SOCKET
static void airtcp_trace_drop(void *unused, struct sk_buff *skb, void *location,
			      enum skb_drop_reason reason, AIRTCP_TRACED struct sock *sk)
#else
static void airtcp_trace_drop(void *unused, struct sk_buff *skb, void *location,
			      enum skb_drop_reason reason)
#endif
{
	airtcp_has_dropped(skb);
}

int airtcp_watch_losses(void)
{
	if (!airtcp_session_is_open())
		return 0;
	airtcp_wire_loses_to(airtcp_wire_has_lost);
	return register_trace_kfree_skb(airtcp_trace_drop, NULL);
}
