// SPDX-License-Identifier: GPL-2.0
/* The devices of which packets or queueing disciplines are observed. */
#include <linux/hashtable.h>
#include <linux/rtnetlink.h>
#include <linux/uaccess.h>
#include <net/gen_stats.h>
#include <net/pkt_sched.h>
#include "../engine/engine.h"
#include "../wire/wire.h"
#include "observed.h"

/* Buffer for the statistics of any discipline; CAKE with eight tins has the most. */
#define AIRTCP_STATS_BYTES 8192

static struct airtcp_watched_device airtcp_devices[AIRTCP_DEVICES_MAX];
static unsigned int airtcp_device_count;
static DEFINE_HASHTABLE(airtcp_by_dev, 8);
static struct sk_buff *airtcp_stats;

struct airtcp_watched_device *airtcp_find_device(const struct net_device *dev)
{
	struct airtcp_watched_device *watched;

	hash_for_each_possible(airtcp_by_dev, watched, node, (unsigned long)dev)
		if (watched->dev == dev)
			return watched;
	return NULL;
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
	/* CAKE's returns a length. */
	if (q->ops->dump_stats(q, &dump) < 0 || gnet_stats_finish_copy(&dump))
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
	airtcp_engine.qdisc(device, time, &sample);
}

void airtcp_sample_qdiscs(u64 time)
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

/* Of all devices whose queues are sampled. */
void airtcp_await_departures(void)
{
	unsigned int i;

	for (i = 0; i < airtcp_device_count; i++)
		if (airtcp_devices[i].qdiscs && airtcp_devices[i].dev)
			airtcp_wire_await_departures(airtcp_devices[i].dev);
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
	watched = airtcp_find_device(dev);
	if (watched) {
		hash_del(&watched->node);
		watched->dev = NULL;
		dev_put(dev);
	}
	return NOTIFY_DONE;
}

static struct notifier_block airtcp_device_notifier = { .notifier_call = airtcp_device_event };

int airtcp_watch_devices(void)
{
	const struct airtcp_probe_device __user *asked =
		(const void __user *)(unsigned long)airtcp_selection.devices;
	struct airtcp_probe_device device;

	if (airtcp_selection.device_count > AIRTCP_DEVICES_MAX)
		return -EINVAL;
	airtcp_stats = alloc_skb(AIRTCP_STATS_BYTES, GFP_KERNEL);
	if (!airtcp_stats)
		return -ENOMEM;
	for (; airtcp_device_count < airtcp_selection.device_count; airtcp_device_count++) {
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

/* Those of all devices together. */
unsigned int airtcp_watched_points(void)
{
	unsigned int i, points = 0;

	for (i = 0; i < airtcp_device_count; i++)
		points |= airtcp_devices[i].points;
	return points;
}
