// SPDX-License-Identifier: GPL-2.0
/*
 * A network of two parts, which wires with a delay join.
 *
 * Two machines may compute it, a part each, and a third one all of it, with the same
 * results. Up to the first exchange, which is the beginning of traffic, all three are
 * the same machine: each has booted all hosts. From then on the machines of the parts
 * differ. What happens to a host in its part must not depend on whether the
 * other part is there:
 *
 *  - Each host draws random numbers of its own (random.c).
 *  - Neither reading a clock nor a failing system call takes time: it would pass for
 *    all hosts.
 *  - Events of one instant have an order, whoever entered them first. The timers, the
 *    wheels of hosts, and the engine have one event for all hosts.
 *  - A wire between the parts receives into buffers of its own (frame/image.c), as a NIC
 *    does, so nothing of the sender's memory reaches the receiver.
 *
 * The machine of a part gives frames that leave it to the engine, which has a way to the
 * other machine, and gets those that enter from there. The engine exchanges them in
 * an observer of the calendar, in which it may wait for the other machine. Hosts of the
 * other part go on without traffic, and what they do is left out of the results.
 */
#include <linux/airtcp_hosts.h>
#include <linux/airtcp_random.h>
#include <linux/netdevice.h>
#include <linux/time-internal.h>
#include <net/net_namespace.h>
#include "../engine/engine.h"
#include "parts.h"

static struct time_travel_event airtcp_exchanging;
static bool airtcp_parts_separate;
static void (*airtcp_separate_device)(struct net_device *dev);

unsigned int airtcp_part_of(const struct net *net)
{
	return net->airtcp_host ? airtcp_engine.part_of(net->airtcp_host) : AIRTCP_NONE;
}

bool airtcp_is_elsewhere(const struct net *net)
{
	unsigned int part;

	if (!airtcp_parts_separate || airtcp_engine.part == AIRTCP_NONE)
		return false;
	part = airtcp_part_of(net);
	return part != AIRTCP_NONE && part != airtcp_engine.part;
}

static void airtcp_separate(void)
{
	struct net_device *dev;
	struct net *net;

	airtcp_parts_separate = true;
	airtcp_random_start();
	time_travel_nobody_polls(AIRTCP_RANK_TIMERS);
	airtcp_wheels_rank(AIRTCP_RANK_WHEELS);
	airtcp_engine_rank(AIRTCP_RANK_ENGINE);
	/* No process runs during an observer, so the lists do not change. */
	for_each_net(net)
		for_each_netdev(net, dev) airtcp_separate_device(dev);
}

static void airtcp_exchange(struct time_travel_event *event)
{
	unsigned long long next;

	if (!airtcp_parts_separate)
		airtcp_separate();
	next = airtcp_engine.exchange(event->time);
	if (next != ~0ULL)
		time_travel_add_event(event, next);
}

void __init airtcp_parts_init(void (*separate_device)(struct net_device *dev))
{
	if (!airtcp_engine.separate_at)
		return;
	airtcp_separate_device = separate_device;
	airtcp_exchanging.observer = true;
	time_travel_set_event_fn(&airtcp_exchanging, airtcp_exchange);
	time_travel_add_event(&airtcp_exchanging, airtcp_engine.separate_at);
}
