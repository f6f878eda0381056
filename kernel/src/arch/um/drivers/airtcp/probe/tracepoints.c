// SPDX-License-Identifier: GPL-2.0
/* Packets and acknowledgments, which are captured at tracepoints. */
#include <linux/airtcp_linux.h>
#include <linux/netdevice.h>
#include <linux/time-internal.h>
#include <net/tcp.h>
#include <trace/events/net.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>
#include "../engine/engine.h"
#include "observed.h"

static u8 airtcp_head[AIRTCP_HEAD_MAX];

static void airtcp_trace_ack(void *unused, struct sock *sk, AIRTCP_TRACED struct sk_buff *skb)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct tcphdr *th = (const struct tcphdr *)skb->data;
	unsigned long pacing_rate = READ_ONCE(sk->sk_pacing_rate);
	struct airtcp_ack ack = {
		.data_len = skb->len - __tcp_hdrlen(th),
		.snd_nxt = tp->snd_nxt,
		.snd_una = tp->snd_una,
		.cwnd = tcp_snd_cwnd(tp),
		.ssthresh = tcp_current_ssthresh(sk),
		.snd_wnd = tp->snd_wnd,
		.srtt_us = tp->srtt_us >> 3,
		.rcv_wnd = tp->rcv_wnd,
		.rto_us = jiffies_to_usecs(inet_csk(sk)->icsk_rto),
		.in_flight = tcp_packets_in_flight(tp),
		.ca_state = inet_csk(sk)->icsk_ca_state,
		.pacing_rate = pacing_rate == ~0UL ? ~0ULL : pacing_rate,
	};

	if (tp->probed_flow)
		airtcp_engine.ack(tp->probed_flow - 1, time_travel_now(), &ack);
}

/* The Ethernet header begins this much before the data. */
static void airtcp_trace_packet(const struct sk_buff *skb, const struct net_device *dev,
				unsigned int point, unsigned int before)
{
	struct airtcp_watched_device *watched = airtcp_find_device(dev);
	struct airtcp_packet packet = {
		.len = skb->len + before,
		.head = skb->data - before,
		.segments = skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1,
		.segment_len = skb_shinfo(skb)->gso_size,
	};

	if (!watched || !(watched->points & point))
		return;
	packet.head_len = min(packet.len, airtcp_selection.head_len);
	if (packet.head_len > skb_headlen(skb) + before) {
		skb_copy_bits(skb, -(int)before, airtcp_head, packet.head_len);
		packet.head = airtcp_head;
	}
	airtcp_engine.packet(watched->device, point, time_travel_now(), &packet);
}

static void airtcp_trace_queue(void *unused, struct sk_buff *skb)
{
	airtcp_trace_packet(skb, skb->dev, AIRTCP_POINT_QUEUE, 0);
}

static void airtcp_trace_xmit(void *unused, const struct sk_buff *skb, const struct net_device *dev)
{
	airtcp_trace_packet(skb, dev, AIRTCP_POINT_XMIT, 0);
}

static void airtcp_trace_receive(void *unused, struct sk_buff *skb)
{
	if (skb_mac_header_was_set(skb))
		airtcp_trace_packet(skb, skb->dev, AIRTCP_POINT_RECEIVE,
				    skb->data - skb_mac_header(skb));
}

/* Tracepoints are enabled only for selected observations. */
int airtcp_watch_points(void)
{
	unsigned int points = airtcp_watched_points();
	int err = 0;

	if (airtcp_selection.acks)
		err = register_trace_tcp_probe(airtcp_trace_ack, NULL);
	if (!err && airtcp_selection.sockets)
		err = register_trace_inet_sock_set_state(airtcp_trace_state, NULL);
	if (!err && (points & AIRTCP_POINT_QUEUE))
		err = register_trace_net_dev_queue(airtcp_trace_queue, NULL);
	if (!err && (points & AIRTCP_POINT_XMIT))
		err = register_trace_net_dev_start_xmit(airtcp_trace_xmit, NULL);
	if (!err && (points & AIRTCP_POINT_RECEIVE))
		err = register_trace_netif_receive_skb(airtcp_trace_receive, NULL);
	if (!err)
		err = airtcp_watch_losses();
	return err;
}
