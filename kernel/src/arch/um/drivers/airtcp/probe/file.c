// SPDX-License-Identifier: GPL-2.0
/*
 * Observes sockets, queueing disciplines and packets for the engine.
 *
 * Process 1 selects what is observed through /dev/airtcp. The probes only read: the
 * machine runs as it would without them.
 */
#include <linux/airtcp_hosts.h>
#include <linux/miscdevice.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/tcp.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>
#include "../session/session.h"
#include "observed.h"
#include "probe.h"

#define AIRTCP_MINOR 240 /* the first for local use */

struct airtcp_probe_start airtcp_selection;
static bool airtcp_running;

static long airtcp_probe_start(const void __user *argument)
{
	int err;

	if (airtcp_running)
		return -EBUSY;
	if (copy_from_user(&airtcp_selection, argument, sizeof(airtcp_selection)))
		return -EFAULT;
	if (airtcp_selection.head_len > AIRTCP_HEAD_MAX)
		return -EINVAL;
	airtcp_running = true;
	err = airtcp_watch_sockets();
	if (!err)
		err = airtcp_watch_devices();
	if (!err)
		err = airtcp_watch_senders();
	if (!err)
		err = airtcp_watch_points();
	if (!err)
		airtcp_sampling_start();
	return err;
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
		airtcp_sample_end();
		return 0;
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

int __init airtcp_probe_init(void)
{
	BUILD_BUG_ON(AIRTCP_PROBE_START != _IOW(0xaa, 1, struct airtcp_probe_start));
	BUILD_BUG_ON(AIRTCP_PROBE_RECEIVER != _IOW(0xaa, 2, struct airtcp_probe_socket));
	BUILD_BUG_ON(AIRTCP_PROBE_SENDER != _IOW(0xaa, 5, struct airtcp_probe_socket));
	BUILD_BUG_ON(AIRTCP_PROBE_NODE != _IOW(0xaa, 6, struct airtcp_probe_node));
	BUILD_BUG_ON(TCP_LIMITS != ARRAY_SIZE(((struct airtcp_flow *)0)->limited_ns));
	return misc_register(&airtcp_probe_device_file);
}
