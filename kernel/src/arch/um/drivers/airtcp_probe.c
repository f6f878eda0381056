// SPDX-License-Identifier: GPL-2.0
/*
 * Observes sockets, queueing disciplines and packets for the engine, in virtual
 * time and without a process: the cost of a sample is that of reading counters.
 *
 * A process selects what is observed through /dev/airtcp. Samples are taken
 * by an event of the calendar that is no interrupt (see time_travel_observe())
 * and wakes no process; packets and acknowledgments are captured at tracepoints. The
 * probes only read: the machine runs as it would without them.
 */
#include <linux/airtcp_hosts.h>
#include <linux/hashtable.h>
#include <linux/inet_diag.h>
#include <linux/miscdevice.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/time-internal.h>
#include <linux/uaccess.h>
#include <net/airtcp_watch.h>
#include <net/gen_stats.h>
#include <net/ipv6.h>
#include <net/pkt_sched.h>
#include <net/tcp.h>
#include <trace/events/net.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>
#include <airtcp.h>
#include "airtcp_parts.h"
#include "airtcp_session.h"
#include "airtcp_wire.h"

#define AIRTCP_HEAD_MAX	   4096
#define AIRTCP_SOCKETS_MAX 16384 /* observed at a time */
#define AIRTCP_MINOR	   240	 /* the first for local use */
/* Buffer for the statistics of any discipline; CAKE with eight tins has the most. */
#define AIRTCP_STATS_BYTES 8192

struct airtcp_watched_flow {
	struct socket *sender;
	struct socket *receiver;
	bool ended;
};

struct airtcp_watched_device {
	struct hlist_node node;
	struct net_device *dev; /* NULL once it has been deleted */
	u32 device;
	u32 points;
	bool qdiscs;
};

/* A socket of a program, from connect or accept until it is closed. */
struct airtcp_watched_socket {
	struct sock *sk;
	u32 group;
	bool watched;
};

static const struct airtcp_engine *airtcp_engine;
static struct airtcp_probe_start airtcp_start;
static struct airtcp_watched_flow *airtcp_flows;
static unsigned int airtcp_flow_count;
static struct airtcp_watched_socket *airtcp_sockets;
static unsigned int airtcp_sockets_end; /* numbers from here on are unused */
static struct airtcp_watched_device airtcp_devices[AIRTCP_DEVICES_MAX];
static unsigned int airtcp_device_count;
static DEFINE_HASHTABLE(airtcp_by_dev, 8);
static struct sk_buff *airtcp_stats;
static u8 airtcp_head[AIRTCP_HEAD_MAX];
static bool airtcp_running;
static struct time_travel_event airtcp_sampling;

/* Connected, and not yet closed at both ends. */
#define AIRTCP_STATES                                                                           \
	(TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2 | TCPF_CLOSE_WAIT | TCPF_LAST_ACK | \
	 TCPF_CLOSING)

static u32 airtcp_ca_info(struct sock *sk, union tcp_cc_info *info, int *kind)
{
	const struct tcp_congestion_ops *ops = inet_csk(sk)->icsk_ca_ops;

	*kind = 0;
	memset(info, 0, sizeof(*info));
	return ops && ops->get_info ? ops->get_info(sk, ~0U, kind, info) : 0;
}

static void airtcp_limits(const struct tcp_sock *tp, unsigned long long limited_ns[])
{
	int i;

	for (i = 0; i < TCP_LIMITS; i++)
		limited_ns[i] = tp->limited_ns[i];
	if (tp->limited_since)
		limited_ns[tp->limited_by] += time_travel_now() - tp->limited_since;
}

/*
 * tcp_get_info() would wait for a process that has locked the socket. No process
 * runs during a sample, so there is nothing to wait for.
 */
static void airtcp_tcp_info(struct sock *sk, struct tcp_info *info)
{
	int owned = sk->sk_lock.owned;

	sk->sk_lock.owned = 0;
	tcp_get_info(sk, info);
	sk->sk_lock.owned = owned;
}

/* Reads a socket's own statistics. */
struct airtcp_socket_info {
	struct tcp_info tcp;
	union tcp_cc_info ca;
	struct airtcp_flow sample;
};

static void airtcp_read_socket(struct sock *sk, struct airtcp_socket_info *info)
{
	airtcp_tcp_info(sk, &info->tcp);
	memset(&info->sample, 0, sizeof(info->sample));
	info->sample.sender = &info->tcp;
	info->sample.info_len = sizeof(info->tcp);
	info->sample.ca = &info->ca;
	info->sample.ca_len = airtcp_ca_info(sk, &info->ca, &info->sample.ca_kind);
	info->sample.ca_name = inet_csk(sk)->icsk_ca_ops->name;
	airtcp_limits(tcp_sk(sk), info->sample.limited_ns);
}

/*
 * Whether there is anything to sample of a flow. If another machine computes its sender,
 * that takes the receiver's bytes from samples of this one.
 */
static bool airtcp_is_sampled(const struct airtcp_watched_flow *flow)
{
	const struct sock *sk = flow->sender->sk;

	if (airtcp_is_elsewhere(sock_net(sk)))
		return flow->receiver;
	return !flow->ended && ((1 << sk->sk_state) & AIRTCP_STATES);
}

static void airtcp_sample_flow(unsigned int number, u64 time)
{
	struct airtcp_watched_flow *flow = &airtcp_flows[number];
	struct airtcp_socket_info info;
	struct tcp_info receiver;
	struct sock *sk = flow->sender->sk;

	if (!airtcp_is_sampled(flow))
		return;
	airtcp_read_socket(sk, &info);
	/* The sender is connected first. */
	memset(&receiver, 0, sizeof(receiver));
	if (flow->receiver)
		airtcp_tcp_info(flow->receiver->sk, &receiver);
	info.sample.receiver = &receiver;
	airtcp_engine->flow(number, time, &info.sample);
}

static void airtcp_sample_sockets(u64 time)
{
	struct airtcp_socket_info info;
	unsigned int number;

	if (!airtcp_start.sockets)
		return;
	for (number = 0; number < airtcp_sockets_end; number++) {
		if (!airtcp_sockets[number].watched)
			continue;
		airtcp_read_socket(airtcp_sockets[number].sk, &info);
		airtcp_engine->socket(number, time, &info.sample);
	}
	airtcp_engine->sockets_sampled(time);
}

static void airtcp_sample_flows(u64 time)
{
	unsigned int number;

	for (number = 0; number < airtcp_flow_count; number++)
		airtcp_sample_flow(number, time);
	airtcp_sample_sockets(time);
}

/* Statistics of the discipline in the format of its kind. */
static const struct nlattr *airtcp_own_stats(struct Qdisc *q)
{
	const struct nlattr *stats;
	struct gnet_dump dump;

	if (!q->ops->dump_stats)
		return NULL;
	__skb_trim(airtcp_stats, 0);
	if (gnet_stats_start_copy(airtcp_stats, TCA_STATS2, NULL, &dump, TCA_PAD))
		return NULL;
	if (q->ops->dump_stats(q, &dump) || gnet_stats_finish_copy(&dump))
		return NULL;
	stats = nla_find((struct nlattr *)airtcp_stats->data, airtcp_stats->len, TCA_STATS2);
	return stats ? nla_find_nested(stats, TCA_STATS_APP) : NULL;
}

static void airtcp_sample_qdisc(u32 device, struct Qdisc *q, u64 time)
{
	struct gnet_stats_basic_sync basic;
	struct gnet_stats_queue queue = { 0 };
	struct airtcp_qdisc sample = { .handle = TC_H_MAJ(q->handle) >> 16, .kind = q->ops->id };
	const struct nlattr *own;

	if (!sample.handle)
		return;
	gnet_stats_basic_sync_init(&basic);
	gnet_stats_add_basic(&basic, q->cpu_bstats, &q->bstats, false);
	gnet_stats_add_queue(&queue, q->cpu_qstats, &q->qstats);
	sample.backlog_packets = qdisc_qlen_sum(q);
	sample.backlog_bytes = queue.backlog;
	sample.drops = queue.drops;
	sample.overlimits = queue.overlimits;
	sample.packets = u64_stats_read(&basic.packets);
	sample.bytes = u64_stats_read(&basic.bytes);
	own = airtcp_own_stats(q);
	if (own) {
		sample.own = nla_data(own);
		sample.own_len = nla_len(own);
	}
	airtcp_engine->qdisc(device, time, &sample);
}

static void airtcp_sample_qdiscs(u64 time)
{
	unsigned int i;

	for (i = 0; i < airtcp_device_count; i++) {
		struct airtcp_watched_device *watched = &airtcp_devices[i];
		struct Qdisc *root, *q;
		int bucket;

		if (!watched->qdiscs || !watched->dev)
			continue;
		root = rcu_dereference_raw(watched->dev->qdisc);
		if (!root)
			continue;
		airtcp_wire_observe(watched->dev);
		airtcp_sample_qdisc(watched->device, root, time);
		hash_for_each(watched->dev->qdisc_hash, bucket, q, hash)
			airtcp_sample_qdisc(watched->device, q, time);
	}
}

/* A series of samples, at multiples of its interval after the first instant. */
struct airtcp_series {
	u64 interval_ns; /* 0 for none */
	u64 next_ns;
	void (*sample)(u64 time);
};

static struct airtcp_series airtcp_series[] = {
	{ .sample = airtcp_sample_flows },
	{ .sample = airtcp_sample_qdiscs },
	{ .sample = airtcp_sample_stations },
	{ .sample = airtcp_sample_rates },
};

static void airtcp_set_intervals(void)
{
	u64 intervals_ns[ARRAY_SIZE(airtcp_series)] = {
		airtcp_start.flows_interval_ns,
		airtcp_start.qdiscs_interval_ns,
		airtcp_start.stations_interval_ns,
		airtcp_start.rates_interval_ns,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++) {
		struct airtcp_series *series = &airtcp_series[i];

		series->interval_ns = intervals_ns[i];
		series->next_ns =
			series->interval_ns ? airtcp_start.first_ns + series->interval_ns : U64_MAX;
	}
}

static u64 airtcp_next_sample(void)
{
	u64 next = U64_MAX;
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++)
		next = min(next, airtcp_series[i].next_ns);
	return next;
}

extern ktime_t tick_next_period; /* kernel/time/tick-internal.h */

/* Ticks that have passed but are not counted yet, because the CPU was idle. */
static u64 airtcp_uncounted_ticks(void)
{
	s64 late_ns = ktime_to_ns(ktime_sub(ktime_get(), tick_next_period));

	return late_ns < 0 ? 0 : 1 + late_ns / TICK_NSEC;
}

/*
 * Samples the state of the machine. With interrupts off, no clock advances when it
 * is read; pending soft interrupts stay pending; the jiffies, from which
 * tcp_info computes ages, are those of this instant during the sample. Data that
 * requires the RTNL does not change meanwhile, whichever process holds it.
 */
struct airtcp_sample_state {
	unsigned long flags;
	u64 ticks;
	bool own_rtnl;
};

static struct airtcp_sample_state airtcp_sampling_begin(void)
{
	struct airtcp_sample_state state;

	local_irq_save(state.flags);
	__local_bh_disable_ip(_THIS_IP_, SOFTIRQ_DISABLE_OFFSET);
	state.own_rtnl = rtnl_trylock();
	state.ticks = airtcp_uncounted_ticks();
	jiffies_64 += state.ticks;
	return state;
}

static void airtcp_sampling_end(const struct airtcp_sample_state *state)
{
	jiffies_64 -= state->ticks;
	if (state->own_rtnl)
		__rtnl_unlock();
	_local_bh_enable();
	local_irq_restore(state->flags);
}

/* Samples before the end; the process that ends the run triggers the last one. */
static void airtcp_arm_sampling(void)
{
	u64 next = airtcp_next_sample();

	if (next < airtcp_start.end_ns)
		time_travel_add_event(&airtcp_sampling, next);
}

static void airtcp_sample(struct time_travel_event *event)
{
	struct airtcp_sample_state state = airtcp_sampling_begin();
	u64 now = event->time;
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++) {
		struct airtcp_series *series = &airtcp_series[i];

		if (series->next_ns != now)
			continue;
		series->sample(now);
		series->next_ns += series->interval_ns;
	}
	airtcp_sampling_end(&state);
	airtcp_arm_sampling();
}

static void airtcp_trace_ack(void *unused, struct sock *sk, struct sk_buff *skb)
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
		airtcp_engine->ack(tp->probed_flow - 1, time_travel_now(), &ack);
}

static u32 airtcp_find_socket(const struct sock *sk)
{
	u32 number;

	for (number = 0; number < airtcp_sockets_end; number++)
		if (airtcp_sockets[number].sk == sk)
			return number;
	return AIRTCP_NONE;
}

/* The lowest free number. */
static u32 airtcp_add_socket(struct sock *sk, u32 group)
{
	u32 number = airtcp_find_socket(NULL);

	if (number == AIRTCP_NONE) {
		if (airtcp_sockets_end == AIRTCP_SOCKETS_MAX)
			return AIRTCP_NONE;
		number = airtcp_sockets_end++;
	}
	airtcp_sockets[number].sk = sk;
	airtcp_sockets[number].group = group;
	airtcp_sockets[number].watched = false;
	return number;
}

static void airtcp_forget_socket(u32 number)
{
	airtcp_sockets[number].sk = NULL;
	airtcp_sockets[number].watched = false;
	while (airtcp_sockets_end && !airtcp_sockets[airtcp_sockets_end - 1].sk)
		airtcp_sockets_end--;
}

/* Process 1 connects the flows of the plan. */
static void airtcp_socket_connects(struct sock *sk)
{
	if (task_tgid_nr(current) != 1)
		airtcp_add_socket(sk, task_pgrp_nr(current));
}

static void airtcp_socket_connected(struct sock *sk, bool accepted)
{
	u32 number = accepted ? airtcp_add_socket(sk, 0) : airtcp_find_socket(sk);
	struct airtcp_socket socket = {
		.accepted = accepted,
		.local_address = ntohl(inet_sk(sk)->inet_saddr),
		.remote_address = ntohl(inet_sk(sk)->inet_daddr),
		.local_port = ntohs(inet_sk(sk)->inet_sport),
		.remote_port = ntohs(inet_sk(sk)->inet_dport),
	};

	/* It belongs to process 1, or there was no free number when it connected. */
	if (number == AIRTCP_NONE && !accepted)
		return;
	if (number != AIRTCP_NONE)
		socket.group = airtcp_sockets[number].group;
	if (airtcp_engine->socket_connected(number, time_travel_now(), &socket))
		airtcp_sockets[number].watched = true;
	else if (number != AIRTCP_NONE)
		airtcp_forget_socket(number);
}

/* Closed, reset, or in TIME_WAIT without a socket: its last statistics. */
static void airtcp_socket_closes(struct sock *sk)
{
	u32 number = airtcp_find_socket(sk);
	struct airtcp_socket_info info;
	struct airtcp_sample_state state;

	if (number == AIRTCP_NONE)
		return;
	if (airtcp_sockets[number].watched) {
		state = airtcp_sampling_begin();
		airtcp_read_socket(sk, &info);
		airtcp_engine->socket(number, time_travel_now(), &info.sample);
		airtcp_sampling_end(&state);
		airtcp_engine->socket_closed(number, time_travel_now());
	}
	airtcp_forget_socket(number);
}

/* IPv6 sockets may have IPv4 connections. */
static bool airtcp_is_ipv4(const struct sock *sk)
{
	return sk->sk_family == AF_INET || ipv6_addr_v4mapped(&sk->sk_v6_daddr);
}

static void airtcp_trace_state(void *unused, const struct sock *const_sk, const int old,
			       const int new)
{
	struct sock *sk = (struct sock *)const_sk;

	if (sk->sk_protocol != IPPROTO_TCP || !airtcp_is_ipv4(sk))
		return;
	if (new == TCP_SYN_SENT)
		airtcp_socket_connects(sk);
	else if (new == TCP_ESTABLISHED)
		airtcp_socket_connected(sk, old == TCP_SYN_RECV &&
						    airtcp_find_socket(sk) == AIRTCP_NONE);
	else if (new == TCP_CLOSE)
		airtcp_socket_closes(sk);
}

static struct airtcp_watched_device *airtcp_find(const struct net_device *dev)
{
	struct airtcp_watched_device *watched;

	hash_for_each_possible(airtcp_by_dev, watched, node, (unsigned long)dev)
		if (watched->dev == dev)
			return watched;
	return NULL;
}

/* The Ethernet header begins this much before the data. */
static void airtcp_trace_packet(const struct sk_buff *skb, const struct net_device *dev,
				unsigned int point, unsigned int before)
{
	struct airtcp_watched_device *watched = airtcp_find(dev);
	struct airtcp_packet packet = {
		.len = skb->len + before,
		.head = skb->data - before,
		.segments = skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1,
		.segment_len = skb_shinfo(skb)->gso_size,
	};

	if (!watched || !(watched->points & point))
		return;
	packet.head_len = min(packet.len, airtcp_start.head_len);
	if (packet.head_len > skb_headlen(skb) + before) {
		skb_copy_bits(skb, -(int)before, airtcp_head, packet.head_len);
		packet.head = airtcp_head;
	}
	airtcp_engine->packet(watched->device, point, time_travel_now(), &packet);
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
static int airtcp_watch_points(void)
{
	unsigned int i, points = 0;
	int err = 0;

	for (i = 0; i < airtcp_device_count; i++)
		points |= airtcp_devices[i].points;
	if (airtcp_start.acks)
		err = register_trace_tcp_probe(airtcp_trace_ack, NULL);
	if (!err && airtcp_start.sockets)
		err = register_trace_inet_sock_set_state(airtcp_trace_state, NULL);
	if (!err && (points & AIRTCP_POINT_QUEUE))
		err = register_trace_net_dev_queue(airtcp_trace_queue, NULL);
	if (!err && (points & AIRTCP_POINT_XMIT))
		err = register_trace_net_dev_start_xmit(airtcp_trace_xmit, NULL);
	if (!err && (points & AIRTCP_POINT_RECEIVE))
		err = register_trace_netif_receive_skb(airtcp_trace_receive, NULL);
	return err;
}

static struct net_device *airtcp_device_of(unsigned int ifindex)
{
	struct net_device *dev = NULL;
	struct net *net;

	/* A reference for as long as the machine runs. */
	down_read(&net_rwsem);
	for_each_net(net) {
		dev = dev_get_by_index(net, ifindex);
		if (dev)
			break;
	}
	up_read(&net_rwsem);
	return dev;
}

/* What is deleted is watched no more: it waits until nobody refers to it. */
static int airtcp_device_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct airtcp_watched_device *watched;

	/* A device that moves to another namespace leaves its own, but stays registered. */
	if (event != NETDEV_UNREGISTER || dev->reg_state != NETREG_UNREGISTERING)
		return NOTIFY_DONE;
	watched = airtcp_find(dev);
	if (watched) {
		hash_del(&watched->node);
		watched->dev = NULL;
		dev_put(dev);
	}
	return NOTIFY_DONE;
}

static struct notifier_block airtcp_device_notifier = { .notifier_call = airtcp_device_event };

static int airtcp_watch_devices(void)
{
	const struct airtcp_probe_device __user *asked =
		(const void __user *)(unsigned long)airtcp_start.devices;
	struct airtcp_probe_device device;

	if (airtcp_start.device_count > AIRTCP_DEVICES_MAX)
		return -EINVAL;
	for (; airtcp_device_count < airtcp_start.device_count; airtcp_device_count++) {
		struct airtcp_watched_device *watched = &airtcp_devices[airtcp_device_count];

		if (copy_from_user(&device, asked + airtcp_device_count, sizeof(device)))
			return -EFAULT;
		watched->dev = airtcp_device_of(device.ifindex);
		if (!watched->dev)
			return -ENODEV;
		watched->device = device.device;
		watched->points = device.points;
		watched->qdiscs = device.qdiscs;
		if (watched->points & AIRTCP_POINT_XMIT)
			airtcp_wire_watch(watched->dev);
		hash_add(airtcp_by_dev, &watched->node, (unsigned long)watched->dev);
	}
	return airtcp_device_count ? register_netdevice_notifier(&airtcp_device_notifier) : 0;
}

/* The socket gets a reference for as long as the machine runs. */
static struct socket *airtcp_tcp_socket(int fd, int *err)
{
	struct socket *sock = sockfd_lookup(fd, err);

	if (sock && sock->sk->sk_protocol != IPPROTO_TCP) {
		sockfd_put(sock);
		*err = -EINVAL;
		return NULL;
	}
	return sock;
}

static int airtcp_watch_senders(void)
{
	const int __user *asked = (const void __user *)(unsigned long)airtcp_start.senders;
	int fd, err;

	airtcp_flows = kvcalloc(airtcp_start.sender_count, sizeof(*airtcp_flows), GFP_KERNEL);
	if (!airtcp_flows)
		return -ENOMEM;
	for (; airtcp_flow_count < airtcp_start.sender_count; airtcp_flow_count++) {
		struct socket *sock;

		if (get_user(fd, asked + airtcp_flow_count))
			return -EFAULT;
		sock = airtcp_tcp_socket(fd, &err);
		if (!sock)
			return err;
		airtcp_flows[airtcp_flow_count].sender = sock;
		tcp_sk(sock->sk)->probed_flow = airtcp_flow_count + 1;
	}
	return 0;
}

static long airtcp_probe_start(const void __user *argument)
{
	int err;

	if (airtcp_running)
		return -EBUSY;
	if (copy_from_user(&airtcp_start, argument, sizeof(airtcp_start)))
		return -EFAULT;
	if (airtcp_start.head_len > AIRTCP_HEAD_MAX)
		return -EINVAL;
	airtcp_running = true;
	airtcp_set_intervals();
	airtcp_stats = alloc_skb(AIRTCP_STATS_BYTES, GFP_KERNEL);
	if (!airtcp_stats)
		return -ENOMEM;
	if (airtcp_start.sockets) {
		airtcp_sockets = kvcalloc(AIRTCP_SOCKETS_MAX, sizeof(*airtcp_sockets), GFP_KERNEL);
		if (!airtcp_sockets)
			return -ENOMEM;
	}
	err = airtcp_watch_devices();
	if (!err)
		err = airtcp_watch_senders();
	if (!err)
		err = airtcp_watch_points();
	if (err)
		return err;
	airtcp_sampling.observer = true;
	time_travel_set_event_fn(&airtcp_sampling, airtcp_sample);
	airtcp_arm_sampling();
	return 0;
}

/* A socket for an observed flow, which is stored in @flow. */
static struct socket *airtcp_requested_socket(const void __user *argument,
					      struct airtcp_watched_flow **flow, int *err)
{
	struct airtcp_probe_socket asked;

	*err = -EFAULT;
	if (copy_from_user(&asked, argument, sizeof(asked)))
		return NULL;
	*err = -EINVAL;
	if (asked.flow >= airtcp_flow_count)
		return NULL;
	*flow = &airtcp_flows[asked.flow];
	return airtcp_tcp_socket(asked.fd, err);
}

static long airtcp_probe_receiver(const void __user *argument)
{
	struct airtcp_watched_flow *flow;
	struct socket *sock;
	int err;

	sock = airtcp_requested_socket(argument, &flow, &err);
	if (!sock)
		return err;
	if (flow->receiver) {
		sockfd_put(sock);
		return -EINVAL;
	}
	flow->receiver = sock;
	return 0;
}

/*
 * The sender has been accepted: it replaces its listener, from which
 * it takes its number.
 */
static long airtcp_probe_sender(const void __user *argument)
{
	struct airtcp_watched_flow *flow;
	struct socket *sock, *listener;
	int err;

	sock = airtcp_requested_socket(argument, &flow, &err);
	if (!sock)
		return err;
	listener = flow->sender;
	if (listener->sk->sk_state != TCP_LISTEN) {
		sockfd_put(sock);
		return -EINVAL;
	}
	flow->sender = sock;
	sockfd_put(listener);
	return 0;
}

/* Called before any activity in the namespace: its timers then use the host's wheel. */
static long airtcp_probe_node(const void __user *argument)
{
	struct airtcp_probe_node asked;
	struct airtcp_host_clock clock;
	struct net *net;
	int err;

	if (copy_from_user(&asked, argument, sizeof(asked)))
		return -EFAULT;
	net = get_net_ns_by_fd(asked.netns);
	if (IS_ERR(net))
		return PTR_ERR(net);
	clock.age_ns = asked.age_ns;
	clock.offset_ns = asked.offset_ns;
	clock.skew_ppb = asked.skew_ppb;
	err = net->airtcp_host ? -EEXIST : airtcp_host_add(asked.node, &clock);
	if (!err)
		net->airtcp_host = asked.node;
	put_net(net);
	return err;
}

static long airtcp_probe_flow_end(unsigned long flow)
{
	if (flow >= airtcp_flow_count)
		return -EINVAL;
	if (airtcp_start.flows_interval_ns) {
		struct airtcp_sample_state state = airtcp_sampling_begin();

		airtcp_sample_flow(flow, time_travel_now());
		airtcp_sampling_end(&state);
	}
	airtcp_flows[flow].ended = true;
	return 0;
}

static long airtcp_probe_end(void)
{
	struct airtcp_sample_state state = airtcp_sampling_begin();
	int i;

	for (i = 0; i < ARRAY_SIZE(airtcp_series); i++)
		if (airtcp_series[i].interval_ns)
			airtcp_series[i].sample(airtcp_start.end_ns);
	/* Their reports describe the state at the end. */
	if (!airtcp_start.flows_interval_ns)
		airtcp_sample_sockets(airtcp_start.end_ns);
	airtcp_sampling_end(&state);
	return 0;
}

static long airtcp_probe_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	switch (request) {
	case AIRTCP_PROBE_START:
		return airtcp_probe_start((const void __user *)argument);
	case AIRTCP_PROBE_RECEIVER:
		return airtcp_probe_receiver((const void __user *)argument);
	case AIRTCP_PROBE_FLOW_END:
		return airtcp_probe_flow_end(argument);
	case AIRTCP_PROBE_END:
		return airtcp_probe_end();
	case AIRTCP_PROBE_SENDER:
		return airtcp_probe_sender((const void __user *)argument);
	case AIRTCP_PROBE_NODE:
		return airtcp_probe_node((const void __user *)argument);
	case AIRTCP_PROBE_SESSION:
		return airtcp_session_file();
	default:
		return -ENOTTY;
	}
}

/* Process 1 commands the probes. A node of this device would give nobody else a way to them. */
static int airtcp_probe_open(struct inode *inode, struct file *file)
{
	return is_global_init(current) ? 0 : -EPERM;
}

static const struct file_operations airtcp_probe_operations = {
	.owner = THIS_MODULE,
	.open = airtcp_probe_open,
	.unlocked_ioctl = airtcp_probe_ioctl,
};

static struct miscdevice airtcp_probe_device_file = {
	.minor = AIRTCP_MINOR,
	.name = "airtcp",
	.mode = 0600,
	.fops = &airtcp_probe_operations,
};

int __init airtcp_probe_init(const struct airtcp_engine *engine)
{
	BUILD_BUG_ON(AIRTCP_PROBE_START != _IOW(0xaa, 1, struct airtcp_probe_start));
	BUILD_BUG_ON(AIRTCP_PROBE_RECEIVER != _IOW(0xaa, 2, struct airtcp_probe_socket));
	BUILD_BUG_ON(AIRTCP_PROBE_SENDER != _IOW(0xaa, 5, struct airtcp_probe_socket));
	BUILD_BUG_ON(AIRTCP_PROBE_NODE != _IOW(0xaa, 6, struct airtcp_probe_node));
	BUILD_BUG_ON(TCP_LIMITS != ARRAY_SIZE(((struct airtcp_flow *)0)->limited_ns));
	airtcp_engine = engine;
	return misc_register(&airtcp_probe_device_file);
}
