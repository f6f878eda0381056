// SPDX-License-Identifier: GPL-2.0
/* The flows of the plan, whose sockets process 1 names. */
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/time-internal.h>
#include <linux/uaccess.h>
#include <net/tcp.h>
#include "../engine/engine.h"
#include "../parts/parts.h"
#include "observed.h"

struct airtcp_watched_flow {
	struct socket *sender;
	struct socket *receiver;
	bool ended;
};

static struct airtcp_watched_flow *airtcp_flows;
static unsigned int airtcp_flow_count;

/* Connected, and not yet closed at both ends. */
#define AIRTCP_STATES                                                                           \
	(TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2 | TCPF_CLOSE_WAIT | TCPF_LAST_ACK | \
	 TCPF_CLOSING)

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
	airtcp_engine.flow(number, time, &info.sample);
}

void airtcp_sample_flows(u64 time)
{
	unsigned int number;

	for (number = 0; number < airtcp_flow_count; number++)
		airtcp_sample_flow(number, time);
	airtcp_sample_sockets(time);
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

int airtcp_watch_senders(void)
{
	const int __user *asked = (const void __user *)(unsigned long)airtcp_selection.senders;
	int fd, err;

	airtcp_flows = kvcalloc(airtcp_selection.sender_count, sizeof(*airtcp_flows), GFP_KERNEL);
	if (!airtcp_flows)
		return -ENOMEM;
	for (; airtcp_flow_count < airtcp_selection.sender_count; airtcp_flow_count++) {
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

long airtcp_probe_receiver(const void __user *argument)
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
long airtcp_probe_sender(const void __user *argument)
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

long airtcp_probe_flow_end(unsigned long flow)
{
	if (flow >= airtcp_flow_count)
		return -EINVAL;
	if (airtcp_selection.flows_interval_ns) {
		struct airtcp_sample_state state = airtcp_sampling_begin();

		airtcp_sample_flow(flow, time_travel_now());
		airtcp_sampling_end(&state);
	}
	airtcp_flows[flow].ended = true;
	return 0;
}
