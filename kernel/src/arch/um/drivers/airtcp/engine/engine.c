// SPDX-License-Identifier: GPL-2.0
/*
 * The engine: the library in this process that models the medium, in virtual time.
 *
 * Its next event is one event of the time-travel calendar. That event only schedules
 * NAPI, as a hard interrupt does; the engine runs in the poll, and what it
 * delivers is received there.
 */
#include <linux/init.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/airtcp_linux.h>
#include <linux/time-internal.h>
#include "engine.h"

struct airtcp_engine airtcp_engine;
unsigned int airtcp_watching;
bool airtcp_has_lost;
static struct time_travel_event airtcp_event;
static struct napi_struct airtcp_napi;
static bool airtcp_polling;
static int (*airtcp_receive)(struct napi_struct *napi, int budget);
static void (*airtcp_arm_session)(void);

/* While the poll runs, it is armed at the end of the poll. */
void airtcp_arm(void)
{
	unsigned long long next, now = time_travel_now();

	if (airtcp_polling)
		return;
	if (airtcp_arm_session)
		airtcp_arm_session();
	next = airtcp_engine.next();
	if (airtcp_event.pending) {
		if (airtcp_event.time == next)
			return;
		time_travel_del_event(&airtcp_event);
	}
	if (next != ~0ULL)
		time_travel_add_event_rel(&airtcp_event, next > now ? next - now : 0);
}

/* Soft interrupts are off wherever the engine or the calendar schedules the poll. */
void airtcp_poll_soon(void)
{
	if (!airtcp_polling)
		napi_schedule(&airtcp_napi);
}

void airtcp_engine_rank(unsigned int rank)
{
	airtcp_event.rank = rank;
}

static void airtcp_fire(struct time_travel_event *event)
{
	napi_schedule_irqoff(&airtcp_napi);
}

static int airtcp_poll(struct napi_struct *napi, int budget)
{
	int done;

	airtcp_polling = true;
	if (airtcp_engine.next() <= time_travel_now())
		airtcp_engine.run(time_travel_now());
	done = airtcp_receive(napi, budget);
	airtcp_polling = false;
	if (done < budget)
		napi_complete_done(napi, done);
	airtcp_arm();
	return done;
}

static int airtcp_reboot(struct notifier_block *block, unsigned long action, void *data)
{
	/* Events of this instant still happen, and request frames of mac80211. */
	local_bh_disable();
	airtcp_polling = true;
	airtcp_engine.end(time_travel_now());
	local_bh_enable();
	return NOTIFY_DONE;
}

static struct notifier_block airtcp_reboot_block = { .notifier_call = airtcp_reboot };

struct net_device *__init airtcp_napi_dev(void)
{
#if AIRTCP_HAS_DUMMY_NETDEV
	return alloc_netdev_dummy(0);
#else
	struct net_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (dev)
		init_dummy_netdev(dev);
	return dev;
#endif
}

void __init airtcp_engine_arms(void (*arm_session)(void))
{
	airtcp_arm_session = arm_session;
}

int __init airtcp_engine_init(int (*receive)(struct napi_struct *napi, int budget))
{
	struct net_device *napi_dev = airtcp_napi_dev();

	if (!napi_dev)
		return -ENOMEM;
	airtcp_receive = receive;
	netif_napi_add(napi_dev, &airtcp_napi, airtcp_poll);
	napi_enable(&airtcp_napi);
	time_travel_set_event_fn(&airtcp_event, airtcp_fire);
	return register_reboot_notifier(&airtcp_reboot_block);
}
