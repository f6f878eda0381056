// SPDX-License-Identifier: GPL-2.0
/*
 * The timer wheels of hosts; kernel/time/timer.c includes this file.
 *
 * Hosts are network namespaces of one kernel, whose jiffies would make the
 * timers of all hosts expire at the same instants. Each host therefore has a wheel of
 * its own with ticks of its own clock: a tick has the kernel's tick length by that
 * clock, and ticks count from the start of the host. A timer belongs to the host whose
 * number is in the CPU field of its flags (there is only one CPU).
 *
 * Callers count in the kernel's jiffies. A timer that is due in n of them is due
 * in n ticks of the host, counted as the wheel counts. The wheels' next ticks
 * with something to do are in one queue, whose first is an event of the calendar.
 */
#include <linux/airtcp_linux.h>
#include <linux/airtcp_random.h>
#include <linux/time-internal.h>
#include <linux/timerqueue.h>

struct airtcp_wheel {
	struct timer_base base;
	struct timerqueue_node due;
	/* The current tick: its number, and the virtual times of its start and end. */
	unsigned long tick;
	u64 tick_begin_ns;
	u64 tick_end_ns;
	/* The last tick whose timers have run or are running. */
	unsigned long ran;
	/* The number of the current tick minus the kernel's jiffies. */
	unsigned long ahead;
};

static struct airtcp_wheel *airtcp_wheels[AIRTCP_HOSTS_MAX + 1];
static struct timerqueue_head airtcp_wheels_due = { .rb_root = RB_ROOT_CACHED };
static struct time_travel_event airtcp_wheels_event;

static inline struct airtcp_wheel *airtcp_wheel_of(struct timer_base *base)
{
	return container_of(base, struct airtcp_wheel, base);
}

static inline struct timer_base *airtcp_wheel_base(u32 tflags)
{
	return &airtcp_wheels[tflags & TIMER_CPUMASK]->base;
}

static u64 airtcp_tick_begins_ns(const struct airtcp_wheel *wheel, unsigned long tick)
{
	return airtcp_host_virtual_ns(wheel->base.cpu, (u64)tick * TICK_NSEC);
}

/* The number of the host's current tick. */
static unsigned long airtcp_wheel_tick(struct airtcp_wheel *wheel)
{
	u64 now = time_travel_now();

	if (now < wheel->tick_begin_ns || now >= wheel->tick_end_ns) {
		wheel->tick = div_u64(airtcp_host_uptime_ns(wheel->base.cpu, now), TICK_NSEC);
		wheel->tick_begin_ns = airtcp_tick_begins_ns(wheel, wheel->tick);
		wheel->tick_end_ns = airtcp_tick_begins_ns(wheel, wheel->tick + 1);
	}
	return wheel->tick;
}

/* The jiffies by which a base counts; then the conversion of callers' jiffies. */
static unsigned long base_jiffies(struct timer_base *base)
{
	struct airtcp_wheel *wheel = airtcp_wheel_of(base);
	unsigned long tick;

	if (!base->cpu)
		return READ_ONCE(jiffies);
	tick = airtcp_wheel_tick(wheel);
	wheel->ahead = tick - jiffies;
	return tick;
}

/* Expiry of a timer in the jiffies of its base, which has just been forwarded. */
static inline unsigned long base_expires(struct timer_base *base, unsigned long expires)
{
	return base->cpu ? expires + airtcp_wheel_of(base)->ahead : expires;
}

static void airtcp_wheels_fire(struct time_travel_event *event)
{
	raise_softirq_irqoff(TIMER_SOFTIRQ);
}

void airtcp_wheels_rank(unsigned int rank)
{
	airtcp_wheels_event.rank = rank;
}

static void airtcp_wheels_arm(void)
{
	struct timerqueue_node *first = timerqueue_getnext(&airtcp_wheels_due);

	if (airtcp_wheels_event.pending) {
		if (first && airtcp_wheels_event.time == first->expires)
			return;
		time_travel_del_event(&airtcp_wheels_event);
	}
	if (first)
		time_travel_add_event(&airtcp_wheels_event,
				      max_t(u64, first->expires, time_travel_now()));
}

static void airtcp_wheel_unqueue(struct airtcp_wheel *wheel)
{
	if (!RB_EMPTY_NODE(&wheel->due.node))
		timerqueue_del(&airtcp_wheels_due, &wheel->due);
}

/*
 * The next tick at which the wheel has a timer to run. A timer that is set
 * after the present tick's timers have run waits for the next tick.
 */
static unsigned long airtcp_wheel_next(struct airtcp_wheel *wheel)
{
	unsigned long tick = airtcp_wheel_tick(wheel);
	bool over = wheel->ran == tick || wheel->tick_begin_ns < time_travel_now();

	if (time_after(wheel->base.next_expiry, tick))
		return wheel->base.next_expiry;
	return over ? tick + 1 : tick;
}

/* The wheel's next tick with a timer has changed, or may have changed. */
static void airtcp_wheel_arm(struct timer_base *base)
{
	struct airtcp_wheel *wheel = airtcp_wheel_of(base);
	unsigned long flags;

	local_irq_save(flags);
	airtcp_wheel_unqueue(wheel);
	if (base->timers_pending) {
		wheel->due.expires = airtcp_tick_begins_ns(wheel, airtcp_wheel_next(wheel));
		timerqueue_add(&airtcp_wheels_due, &wheel->due);
	}
	airtcp_wheels_arm();
	local_irq_restore(flags);
}

static void airtcp_wheel_run(struct timer_base *base);

/*
 * Runs in the timer soft interrupt. Ticks of several hosts at one instant run in the order in which
 * they were set.
 */
static void airtcp_wheels_run(void)
{
	struct timerqueue_node *first;

	while ((first = timerqueue_getnext(&airtcp_wheels_due)) &&
	       first->expires <= time_travel_now()) {
		struct airtcp_wheel *wheel = container_of(first, struct airtcp_wheel, due);

		local_irq_disable();
		airtcp_wheel_unqueue(wheel);
		local_irq_enable();
		wheel->ran = airtcp_wheel_tick(wheel);
		airtcp_softirq_host = wheel->base.cpu;
		airtcp_wheel_run(&wheel->base);
		airtcp_wheel_arm(&wheel->base);
	}
}

int airtcp_wheel_add(unsigned int host)
{
	struct airtcp_wheel *wheel;

	if (airtcp_wheels[host])
		return -EEXIST;
	wheel = kzalloc(sizeof(*wheel), GFP_KERNEL);
	if (!wheel)
		return -ENOMEM;
	wheel->base.cpu = host;
	raw_spin_lock_init(&wheel->base.lock);
	wheel->base.clk = airtcp_wheel_tick(wheel);
	wheel->base.next_expiry = wheel->base.clk + AIRTCP_NEXT_TIMER_MAX_DELTA;
	timerqueue_init(&wheel->due);
	time_travel_set_event_fn(&airtcp_wheels_event, airtcp_wheels_fire);
	airtcp_wheels[host] = wheel;
	return 0;
}

/* The next expiries of the kernel's own wheels for which the tick was set. */
static unsigned long airtcp_tick_set_for[NR_BASES];

void airtcp_tick_is_set(void)
{
	int i;

	for (i = 0; i < NR_BASES; i++)
		airtcp_tick_set_for[i] = this_cpu_read(timer_bases[i].next_expiry);
}

bool airtcp_tick_may_change(void)
{
	int i;

	for (i = 0; i < NR_BASES; i++) {
		struct timer_base *base = this_cpu_ptr(&timer_bases[i]);

		if (base->next_expiry_recalc || base->next_expiry != airtcp_tick_set_for[i])
			return true;
	}
	return false;
}
