// SPDX-License-Identifier: GPL-2.0
/*
 * Ethernet devices whose medium and MAC the engine is.
 *
 * A frame passed to ndo_start_xmit belongs to the engine until the engine reports
 * that it has left the air. Only then is it completed towards the byte queue
 * limits and released towards its socket, as a Wi-Fi driver does on the
 * transmit status. A receiver that waits for earlier frames (reordering) may
 * hold it beyond that.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/time-internal.h>
#include <net/inet_ecn.h>
#include <net/sock.h>
#include "../engine/engine.h"
#include "../frame/frame.h"
#include "nic.h"

struct airtcp_nic {
	struct airtcp_nic_config config;
	u32 index;
};

/* The driver's data of a transmitted frame. */
struct airtcp_tx {
	bool relayed; /* not accounted to the qdisc: it came from the medium */
};

#define AIRTCP_TX(skb) ((struct airtcp_tx *)(skb)->cb)

/* An MSDU has at most 2304 bytes (IEEE 802.11-2020, 9.2.4.8); LLC and SNAP take eight of them. */
#define AIRTCP_MAX_MTU (2304 - 8)

static struct net_device *airtcp_dev[AIRTCP_NICS_MAX];
static struct sk_buff_head airtcp_arrived;
/*
 * The linear part, which contains all headers of frames that the kernel's own protocols
 * send. Other frames (taps) may have less: then this much is pulled, Ethernet with
 * two tags and IPv4, or IPv6, and the ports.
 */
#define AIRTCP_HEAD 64U

static void airtcp_head(const struct sk_buff *skb, struct airtcp_frame *frame, void *buffer)
{
	frame->head_len = max(skb_headlen(skb), min(skb->len, AIRTCP_HEAD));
	frame->head = skb_header_pointer(skb, 0, frame->head_len, buffer);
}

static bool airtcp_is_one_frame(const struct sk_buff *skb, const struct net_device *dev)
{
	unsigned int tag = eth_type_vlan(skb->protocol) ? VLAN_HLEN : 0;

	return !skb_is_gso(skb) && skb->len <= dev->mtu + ETH_HLEN + tag;
}

static netdev_tx_t airtcp_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct airtcp_nic *nic = netdev_priv(dev);
	struct airtcp_frame frame = { .handle = skb, .len = skb->len, .priority = skb->priority };
	unsigned char buffer[AIRTCP_HEAD];

	if (!airtcp_is_one_frame(skb, dev)) {
		/* The queue above would have counted many packets as one. */
		WARN_ONCE(1, "airtcp: a frame of %u bytes\n", skb->len);
		dev_kfree_skb_any(skb);
		dev->stats.tx_errors++;
		return NETDEV_TX_OK;
	}
	dev->stats.tx_packets++;
	dev->stats.tx_bytes += skb->len;
	if (nic->config.bql)
		netdev_sent_queue(dev, skb->len);
	sk_pacing_shift_update(skb->sk, nic->config.pacing_shift);
	skb_tx_timestamp(skb);
	AIRTCP_TX(skb)->relayed = false;
	airtcp_head(skb, &frame, buffer);
	airtcp_engine.transmit(nic->index, &frame, time_travel_now());
	airtcp_arm();
	return NETDEV_TX_OK;
}

/*
 * A receive buffer with the headers, whose payload is the sender's pages. NULL: the
 * bytes must be copied.
 */
static struct sk_buff *airtcp_rx_pages(struct net_device *dev, const struct sk_buff *skb)
{
	struct sk_buff *head;
	unsigned int i;

	if (!airtcp_rx_suits_pages(skb) || !airtcp_payload_stays(skb))
		return NULL;
	head = airtcp_rx_head(skb->data, skb_headlen(skb));
	if (!head)
		return NULL;
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		skb_shinfo(head)->frags[i] = skb_shinfo(skb)->frags[i];
		get_page(skb_frag_page(&skb_shinfo(skb)->frags[i]));
	}
	skb_shinfo(head)->nr_frags = i;
	head->data_len = skb->data_len;
	head->len += skb->data_len;
	head->truesize = airtcp_rx_truesize(skb->len);
	head->dev = dev;
	return head;
}

/* A new buffer with the frame's bytes, as in a receive ring. */
static struct sk_buff *airtcp_rx_bytes(struct net_device *dev, const struct sk_buff *skb)
{
	struct sk_buff *copy = netdev_alloc_skb_ip_align(dev, skb->len);

	if (copy)
		skb_copy_bits(skb, 0, skb_put(copy, skb->len), skb->len);
	return copy;
}

/* A receive buffer of this device. */
static struct sk_buff *airtcp_rx_copy(struct net_device *dev, const struct sk_buff *skb)
{
	struct sk_buff *copy = airtcp_rx_pages(dev, skb);

	if (!copy)
		copy = airtcp_rx_bytes(dev, skb);
	if (!copy)
		return NULL;
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		airtcp_rx_no_checksum(copy, skb_checksum_start_offset(skb), skb->csum_offset);
	else
		copy->ip_summed = CHECKSUM_UNNECESSARY;
	return copy;
}

/*
 * The same bytes, shared with the sender. GRO moves the pages of merged packets
 * into other buffers, so the receiver needs its own list of pages:
 * TCP's retransmit queue reads the sender's.
 */
static struct sk_buff *airtcp_rx_share(const struct airtcp_nic *nic, struct sk_buff *skb)
{
	struct sk_buff *share =
		nic->config.gro ? pskb_copy(skb, GFP_ATOMIC) : skb_clone(skb, GFP_ATOMIC);

	if (!share)
		return NULL;
	skb_scrub_packet(share, true);
	share->priority = 0;
	if (share->ip_summed != CHECKSUM_PARTIAL)
		share->ip_summed = CHECKSUM_UNNECESSARY;
	return share;
}

static void airtcp_deliver(unsigned int index, void *frame)
{
	struct net_device *dev = airtcp_dev[index];
	struct airtcp_nic *nic = netdev_priv(dev);
	struct sk_buff *skb;

	if (!(dev->flags & IFF_UP)) {
		dev->stats.rx_dropped++;
		return;
	}
	if (nic->config.rx_copy || !airtcp_payload_stays(frame))
		skb = airtcp_rx_copy(dev, frame);
	else
		skb = airtcp_rx_share(nic, frame);
	if (!skb) {
		/* A silent loss for lack of memory would be a wrong result. */
		panic("airtcp: no memory for a received frame");
	}
	dev->stats.rx_packets++;
	dev->stats.rx_bytes += skb->len;
	skb->protocol = eth_type_trans(skb, dev);
	__skb_queue_tail(&airtcp_arrived, skb);
	airtcp_poll_soon();
}

/* Completes the frame for its sender, even if a receiver still holds the same buffer. */
static void airtcp_complete(unsigned int index, struct sk_buff *skb)
{
	struct airtcp_nic *nic = netdev_priv(airtcp_dev[index]);

	if (nic->config.bql && !AIRTCP_TX(skb)->relayed)
		netdev_completed_queue(airtcp_dev[index], 1, skb->len);
	skb_orphan(skb);
}

static void airtcp_sent(unsigned int index, void *frame)
{
	airtcp_complete(index, frame);
	dev_consume_skb_any(frame);
}

static void airtcp_dropped(unsigned int index, void *frame)
{
	airtcp_complete(index, frame);
	airtcp_dev[index]->stats.tx_dropped++;
	/* Whoever waits for a loss is told of it even if a receiver has the frame and keeps it. */
	airtcp_has_lost = true;
	dev_kfree_skb_any(frame);
}

static void airtcp_hold(void *frame)
{
	skb_get(frame);
}

static void airtcp_release(void *frame)
{
	dev_consume_skb_any(frame);
}

/*
 * Other receivers of the same buffer (of a relayed frame) must not see the mark: if
 * the header is shared, it is copied first. TCP's own copy has no header.
 */
static void airtcp_mark_ce(void *frame)
{
	struct sk_buff *skb = frame;
	bool v6 = skb_protocol(skb, true) == htons(ETH_P_IPV6);
	unsigned int header = v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);

	if (skb_ensure_writable(skb, skb_network_offset(skb) + header))
		panic("airtcp: no memory for a marked frame");
	if (!INET_ECN_set_ce(skb))
		panic("airtcp: a frame without ECN is marked");
}

static void *airtcp_relay(unsigned int index, void *frame)
{
	struct sk_buff *skb = skb_clone(frame, GFP_ATOMIC);

	if (!skb)
		panic("airtcp: no memory for a relayed frame");
	skb->dev = airtcp_dev[index];
	AIRTCP_TX(skb)->relayed = true;
	return skb;
}

static void airtcp_stop(unsigned int index)
{
	netif_stop_queue(airtcp_dev[index]);
}

static void airtcp_wake(unsigned int index)
{
	netif_wake_queue(airtcp_dev[index]);
}

int airtcp_nic_poll(struct napi_struct *napi, int budget)
{
	struct sk_buff *skb;
	int done = 0;

	while (done < budget && (skb = __skb_dequeue(&airtcp_arrived))) {
		struct airtcp_nic *nic = netdev_priv(skb->dev);

		if (nic->config.gro)
			napi_gro_receive(napi, skb);
		else
			netif_receive_skb(skb);
		done++;
	}
	return done;
}

/* Segmentation is off, because queues would count super-packets; GRO is off by default. */
static netdev_features_t airtcp_fix_features(struct net_device *dev, netdev_features_t features)
{
	struct airtcp_nic *nic = netdev_priv(dev);

	features &= ~NETIF_F_GSO_MASK & ~NETIF_F_GSO;
	if (!nic->config.gro)
		features &= ~NETIF_F_GRO;
	return features;
}

static const struct net_device_ops airtcp_netdev_ops = {
	.ndo_start_xmit = airtcp_start_xmit,
	.ndo_fix_features = airtcp_fix_features,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void airtcp_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "airtcp", sizeof(info->driver));
}

static const struct ethtool_ops airtcp_ethtool_ops = {
	.get_drvinfo = airtcp_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_ts_info = ethtool_op_get_ts_info,
};

static void airtcp_netdev_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->max_mtu = AIRTCP_MAX_MTU;
	dev->netdev_ops = &airtcp_netdev_ops;
	dev->ethtool_ops = &airtcp_ethtool_ops;
	dev->hw_features = NETIF_F_HW_CSUM | NETIF_F_SG | NETIF_F_HIGHDMA;
	dev->features = dev->hw_features;
}

int __init airtcp_nic_add(unsigned int index, const struct airtcp_nic_config *config)
{
	struct airtcp_nic *nic;
	struct net_device *dev;
	char name[IFNAMSIZ];

	/* By the plan's number, because mac80211's radios have numbers of their own. */
	snprintf(name, sizeof(name), "air%u", index);
	dev = alloc_netdev(sizeof(struct airtcp_nic), name, NET_NAME_ENUM, airtcp_netdev_setup);
	if (!dev)
		return -ENOMEM;
	nic = netdev_priv(dev);
	nic->index = index;
	nic->config = *config;
	/* As devices of mac80211, unless it would lose what it stops. */
	if (!config->stops)
		dev->priv_flags |= IFF_NO_QUEUE;
	eth_hw_addr_set(dev, nic->config.mac);
	airtcp_dev[index] = dev;
	return register_netdev(dev);
}

void __init airtcp_nic_serve(struct airtcp_host *host)
{
	__skb_queue_head_init(&airtcp_arrived);
	host->deliver = airtcp_deliver;
	host->sent = airtcp_sent;
	host->dropped = airtcp_dropped;
	host->hold = airtcp_hold;
	host->release = airtcp_release;
	host->mark_ce = airtcp_mark_ce;
	host->relay = airtcp_relay;
	host->stop = airtcp_stop;
	host->wake = airtcp_wake;
}
