// SPDX-License-Identifier: GPL-2.0
/*
 * Frames as receive buffers of their own, whose size follows from the frame alone.
 *
 * The payload of a flow that process 1 sends is the page of zeros. Its length is enough
 * to receive it, so no bytes are copied.
 */
#include <linux/etherdevice.h>
#include "frame.h"

void airtcp_image_of(struct sk_buff *skb, struct airtcp_image *image)
{
	bool zeros = airtcp_rx_suits_pages(skb) && airtcp_payload_is_zeros(skb);

	if (!zeros && skb_linearize(skb))
		panic("airtcp: no memory for a frame on a wire");
	image->bytes = skb->data;
	image->bytes_len = skb_headlen(skb);
	image->len = skb->len;
	image->csum_start = AIRTCP_NONE;
	image->csum_offset = 0;
	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		image->csum_start = skb_checksum_start_offset(skb);
		image->csum_offset = skb->csum_offset;
	}
}

static void airtcp_add_zeros(struct sk_buff *skb, unsigned int len)
{
	int frag = 0;

	while (len) {
		unsigned int part = min_t(unsigned int, len, PAGE_SIZE);

		get_page(ZERO_PAGE(0));
		skb_fill_page_desc(skb, frag++, ZERO_PAGE(0), 0, part);
		skb->data_len += part;
		skb->len += part;
		len -= part;
	}
}

struct sk_buff *airtcp_image_receive(struct net_device *dev, const struct airtcp_image *image)
{
	unsigned int zeros = image->len - image->bytes_len;
	struct sk_buff *skb;

	skb = zeros ? airtcp_rx_head(image->bytes, image->bytes_len) :
		      netdev_alloc_skb_ip_align(dev, image->bytes_len);
	if (!skb)
		panic("airtcp: no memory for a received frame");
	if (zeros) {
		airtcp_add_zeros(skb, zeros);
		skb->truesize = airtcp_rx_truesize(image->len);
	} else {
		skb_put_data(skb, image->bytes, image->bytes_len);
	}
	if (image->csum_start != AIRTCP_NONE)
		airtcp_rx_no_checksum(skb, image->csum_start, image->csum_offset);
	else
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb->dev = dev;
	return skb;
}
