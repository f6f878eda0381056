// SPDX-License-Identifier: GPL-2.0
/* The statistics of TCP's sockets, and the sockets of programs, from when they connect. */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/time-internal.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "../engine/engine.h"
#include "observed.h"

#define AIRTCP_SOCKETS_MAX 16384 /* observed at a time */

/* A socket of a program, from connect or accept until it is closed. */
struct airtcp_watched_socket {
	struct sock *sk;
	u32 group;
	bool watched;
};

static struct airtcp_watched_socket *airtcp_sockets;
static unsigned int airtcp_sockets_end; /* numbers from here on are unused */

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
void airtcp_tcp_info(struct sock *sk, struct tcp_info *info)
{
	int owned = sk->sk_lock.owned;

	sk->sk_lock.owned = 0;
	tcp_get_info(sk, info);
	sk->sk_lock.owned = owned;
}

void airtcp_read_socket(struct sock *sk, struct airtcp_socket_info *info)
{
	airtcp_tcp_info(sk, &info->tcp);
	memset(&info->sample, 0, sizeof(info->sample));
	info->sample.sender = &info->tcp;
	info->sample.info_len = sizeof(info->tcp);
	info->sample.ca = &info->ca;
	info->sample.ca_len = airtcp_ca_info(sk, &info->ca, &info->sample.ca_kind);
	info->sample.ca_name = inet_csk(sk)->icsk_ca_ops->name;
	airtcp_limits(tcp_sk(sk), info->sample.limited_ns);
	if (airtcp_read_mptcp(sk, &info->mptcp))
		info->sample.mptcp = &info->mptcp;
}

int airtcp_watch_sockets(void)
{
	if (!airtcp_selection.sockets)
		return 0;
	airtcp_sockets = kvcalloc(AIRTCP_SOCKETS_MAX, sizeof(*airtcp_sockets), GFP_KERNEL);
	return airtcp_sockets ? 0 : -ENOMEM;
}

void airtcp_sample_sockets(u64 time)
{
	struct airtcp_socket_info info;
	unsigned int number;

	if (!airtcp_selection.sockets)
		return;
	for (number = 0; number < airtcp_sockets_end; number++) {
		if (!airtcp_sockets[number].watched)
			continue;
		airtcp_read_socket(airtcp_sockets[number].sk, &info);
		airtcp_engine.socket(number, time, &info.sample);
	}
	airtcp_engine.sockets_sampled(time);
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
	if (airtcp_engine.socket_connected(number, time_travel_now(), &socket))
		airtcp_sockets[number].watched = true;
	else if (number != AIRTCP_NONE)
		airtcp_forget_socket(number);
}

/* A sample of a watched socket between the instants of others. */
static void airtcp_sample_socket_now(u32 number)
{
	struct airtcp_sample_state state = airtcp_sampling_begin();
	struct airtcp_socket_info info;

	airtcp_read_socket(airtcp_sockets[number].sk, &info);
	airtcp_engine.socket(number, time_travel_now(), &info.sample);
	airtcp_sampling_end(&state);
}

/* Closed, reset, or in TIME_WAIT without a socket: its last statistics. */
static void airtcp_socket_closes(struct sock *sk)
{
	u32 number = airtcp_find_socket(sk);

	if (number == AIRTCP_NONE)
		return;
	if (airtcp_sockets[number].watched) {
		airtcp_sample_socket_now(number);
		airtcp_engine.socket_closed(number, time_travel_now());
	}
	airtcp_forget_socket(number);
}

/* Subflows leave a connection that ends before they are closed: its last statistics. */
static void airtcp_connection_ends(const struct sock *connection)
{
	u32 number;

	for (number = 0; number < airtcp_sockets_end; number++)
		if (airtcp_sockets[number].watched &&
		    airtcp_connection_of(airtcp_sockets[number].sk) == connection)
			airtcp_sample_socket_now(number);
}

/* IPv6 sockets may have IPv4 connections. */
static bool airtcp_is_ipv4(const struct sock *sk)
{
	return sk->sk_family == AF_INET || ipv6_addr_v4mapped(&sk->sk_v6_daddr);
}

/* States in which an end of an MPTCP connection has all data of the other end, or is closed. */
#define AIRTCP_ENDS (TCPF_CLOSE_WAIT | TCPF_CLOSING | TCPF_LAST_ACK | TCPF_FIN_WAIT2 | TCPF_CLOSE)

void airtcp_trace_state(void *unused, const struct sock *const_sk, const int old, const int new)
{
	struct sock *sk = (struct sock *)const_sk;

	if (sk->sk_protocol == IPPROTO_MPTCP && (1 << new) & AIRTCP_ENDS)
		airtcp_connection_ends(sk);
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
