/* SPDX-License-Identifier: GPL-2.0 */
/* What is observed: declarations shared by the files of the probes. */
#ifndef __AIRTCP_PROBE_OBSERVED_H
#define __AIRTCP_PROBE_OBSERVED_H

#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <linux/inet_diag.h>
#include <airtcp.h>

/* The longest beginning of a packet that is captured. */
#define AIRTCP_HEAD_MAX 4096

/* What process 1 has selected. */
extern struct airtcp_probe_start airtcp_selection;

struct airtcp_watched_device {
	struct hlist_node node;
	struct net_device *dev; /* NULL once it has been deleted */
	u32 device;
	u32 points;
	bool qdiscs;
};

/* A socket's own statistics; the sample refers to the others. */
struct airtcp_socket_info {
	struct tcp_info tcp;
	union tcp_cc_info ca;
	struct airtcp_mptcp mptcp;
	struct airtcp_flow sample;
};

/* The state of the machine before a sample. */
struct airtcp_sample_state {
	unsigned long flags;
	u64 ticks;
	bool own_rtnl;
};

/* sampling.c */
struct airtcp_sample_state airtcp_sampling_begin(void);
void airtcp_sampling_end(const struct airtcp_sample_state *state);
void airtcp_sampling_start(void);
void airtcp_sample_end(void);

/* flows.c */
int airtcp_watch_senders(void);
long airtcp_probe_receiver(const void __user *argument);
long airtcp_probe_sender(const void __user *argument);
long airtcp_probe_flow_end(unsigned long flow);
void airtcp_sample_flows(u64 time);

/* sockets.c */
void airtcp_tcp_info(struct sock *sk, struct tcp_info *info);
void airtcp_read_socket(struct sock *sk, struct airtcp_socket_info *info);
int airtcp_watch_sockets(void);
void airtcp_sample_sockets(u64 time);
void airtcp_trace_state(void *unused, const struct sock *const_sk, const int old, const int new);

/* mptcp.c */
struct sock *airtcp_connection_of(const struct sock *sk);
bool airtcp_read_mptcp(const struct sock *sk, struct airtcp_mptcp *connection);

/* devices.c */
int airtcp_watch_devices(void);
unsigned int airtcp_watched_points(void);
struct airtcp_watched_device *airtcp_find_device(const struct net_device *dev);
void airtcp_sample_qdiscs(u64 time);
void airtcp_await_departures(void);

/* losses.c */
int airtcp_watch_losses(void);
void airtcp_tell_losses(u64 now);

/* tracepoints.c */
int airtcp_watch_points(void);

#endif
