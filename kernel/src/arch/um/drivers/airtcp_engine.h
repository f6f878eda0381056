/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The drivers share one engine: one library, one event of the calendar and
 * one NAPI context in which the engine runs. Every call of the engine is made
 * with soft interrupts off, passes the time, and is followed by airtcp_arm().
 */
#ifndef __AIRTCP_ENGINE_H
#define __AIRTCP_ENGINE_H

#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <airtcp.h>

extern struct airtcp_engine airtcp_engine;

/* Puts the engine's next event into the calendar. */
void airtcp_arm(void);

/* Schedules the NAPI context at the current time. */
void airtcp_poll_soon(void);

/* NAPI requires a device: one that is not part of the medium. */
struct net_device *airtcp_napi_dev(void);

/* Whether all pages of the payload are the page of zeros. */
static inline bool airtcp_payload_is_zeros(const struct sk_buff *skb)
{
	unsigned int i;

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		if (skb_frag_page(&skb_shinfo(skb)->frags[i]) != ZERO_PAGE(0))
			return false;
	}
	return !skb_has_frag_list(skb);
}

/*
 * Whether a receiver may refer to the pages of the sender's payload: they never change. The
 * pages of files and of other programs may (SKBFL_SHARED_FRAG), but not the page of zeros.
 */
static inline bool airtcp_payload_stays(const struct sk_buff *skb)
{
	return !skb_has_shared_frag(skb) || airtcp_payload_is_zeros(skb);
}

/* airtcp_radio.c: the part of the poll for radios; returns the number of received MPDUs. */
int airtcp_radio_poll(struct napi_struct *napi, int budget);

/* The host's functions for radios, see airtcp.h. */
unsigned int airtcp_next_txq(unsigned int nic, unsigned int ac);
int airtcp_dequeue(unsigned int txq, struct airtcp_mpdu *mpdu);
void airtcp_return_txq(unsigned int txq, int more);
int airtcp_has(unsigned int nic, unsigned int ac);
unsigned int airtcp_rates(unsigned long long handle, struct airtcp_rate *stages);
void airtcp_ppdu_done(const unsigned long long *handles, const struct airtcp_ppdu_status *status);
void airtcp_mpdu_done(unsigned long long handle, unsigned int fate);
void airtcp_rx(unsigned int nic, const unsigned long long *handles, unsigned int count,
	       const struct airtcp_rx_status *status);
void airtcp_rx_control(unsigned int nic, const unsigned char *frame, unsigned int len,
		       const struct airtcp_rx_status *status);
void airtcp_rx_interrupt(unsigned int nic);

#endif
