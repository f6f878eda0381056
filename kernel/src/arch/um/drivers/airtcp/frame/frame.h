/* SPDX-License-Identifier: GPL-2.0 */
/* Frames that a driver hands from a sender to a receiver, and receive buffers with their bytes. */
#ifndef __AIRTCP_FRAME_H
#define __AIRTCP_FRAME_H

#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <airtcp.h>

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

/* Headers of the kernel's own protocols fit; a frame with less payload is not worth its pages. */
#define AIRTCP_RX_HEAD_MAX 256U

/* Whether the headers are short enough for a buffer, and the payload long enough for pages. */
static inline bool airtcp_rx_suits_pages(const struct sk_buff *skb)
{
	return skb_headlen(skb) <= AIRTCP_RX_HEAD_MAX && skb->data_len >= AIRTCP_RX_HEAD_MAX &&
	       !skb_has_frag_list(skb);
}

/* A buffer with these headers and no payload yet. */
static inline struct sk_buff *airtcp_rx_head(const void *bytes, unsigned int len)
{
	unsigned int end = SKB_DATA_ALIGN(NET_IP_ALIGN + len);
	unsigned int size = end + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	void *data = netdev_alloc_frag(size);
	struct sk_buff *head = data ? build_skb(data, size) : NULL;

	if (!head)
		return NULL;
	skb_reserve(head, NET_IP_ALIGN);
	skb_put_data(head, bytes, len);
	return head;
}

/* As much memory is charged to the receiver as for a buffer with all bytes of the frame. */
static inline unsigned int airtcp_rx_truesize(unsigned int len)
{
	return SKB_TRUESIZE(SKB_DATA_ALIGN(NET_SKB_PAD + NET_IP_ALIGN + len));
}

/* The checksum is still missing from this place on, in case a device forwards the frame. */
static inline void airtcp_rx_no_checksum(struct sk_buff *skb, unsigned int start,
					 unsigned int offset)
{
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_headroom(skb) + start;
	skb->csum_offset = offset;
}

/*
 * What a frame consists of, and a receive buffer with that. The frame may be made linear; the
 * image is valid as long as the frame is.
 */
void airtcp_image_of(struct sk_buff *skb, struct airtcp_image *image);
struct sk_buff *airtcp_image_receive(struct net_device *dev, const struct airtcp_image *image);

#endif
