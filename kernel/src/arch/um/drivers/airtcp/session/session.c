// SPDX-License-Identifier: GPL-2.0
/*
 * A session: messages enter the machine from outside, each at its instant of virtual time.
 *
 * The engine has the messages: those of the run's plan, or those of a user who stops
 * the clock, thinks and types. It looks for them in an observer of the calendar
 * (see time_travel_observe()), so looking changes nothing, and waiting inside it
 * takes no virtual time. What it has found enters by an event of the same
 * instant, which precedes no other event that the machine already had. So the same
 * messages at the same instants give the same run, whoever sends them.
 *
 * A user may wait for something to happen: then the engine is told what is at the end of each
 * instant, before virtual time goes on (see time_travel_instant_over).
 *
 * Process 1 reads one message at a time from a file that /dev/airtcp gives it, and
 * answers there. The file has no name: an inode of its own would draw a random number,
 * and so change all that the kernel draws after it.
 */
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/time-internal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include "../engine/engine.h"
#include "session.h"

static struct time_travel_event airtcp_looking;
static struct time_travel_event airtcp_entering;
static unsigned int airtcp_entered; /* AIRTCP_SESSION_* of this instant */
static void (*airtcp_session_sample)(u64 time);
static DECLARE_WAIT_QUEUE_HEAD(airtcp_session_wait);
static bool airtcp_session_open;
static bool airtcp_has_messages;

static DEFINE_MUTEX(airtcp_session_reader);
static unsigned char airtcp_session_message[AIRTCP_SESSION_BYTES];

/* Puts the engine's next look at its session into the calendar. */
static void airtcp_session_arm(void)
{
	unsigned long long next;

	if (!airtcp_session_open)
		return;
	next = airtcp_engine.session_next();
	if (airtcp_looking.pending) {
		if (airtcp_looking.time == next)
			return;
		time_travel_del_event(&airtcp_looking);
	}
	if (next != ~0ULL)
		time_travel_add_event(&airtcp_looking, next);
}

static void airtcp_session_enter(struct time_travel_event *event)
{
	unsigned int entered = airtcp_entered;

	airtcp_entered = 0;
	if (entered & AIRTCP_SESSION_AIR)
		airtcp_poll_soon();
	if (entered & AIRTCP_SESSION_MESSAGES) {
		airtcp_has_messages = true;
		wake_up_interruptible(&airtcp_session_wait);
	}
}

#define AIRTCP_SESSION_ENTERS (AIRTCP_SESSION_MESSAGES | AIRTCP_SESSION_AIR)
#define AIRTCP_SESSION_WATCHES \
	(AIRTCP_SESSION_FLOWS | AIRTCP_SESSION_QUEUES | AIRTCP_SESSION_LOSSES)

/* A user who waits only for losses needs no other instants than theirs. */
static void airtcp_session_instant(void)
{
	if (!airtcp_has_lost && !(airtcp_watching & (AIRTCP_SESSION_FLOWS | AIRTCP_SESSION_QUEUES)))
		return;
	airtcp_has_lost = false;
	airtcp_session_sample(time_travel_now());
	airtcp_session_arm();
}

/* The first sample is that of what was before this instant. */
static void airtcp_session_watch(unsigned int found)
{
	airtcp_watching = airtcp_session_sample ? found & AIRTCP_SESSION_WATCHES : 0;
	time_travel_instant_over = airtcp_watching ? airtcp_session_instant : NULL;
	if (!airtcp_watching || !(found & AIRTCP_SESSION_SAMPLE))
		return;
	airtcp_has_lost = false;
	airtcp_session_sample(time_travel_now());
}

static void airtcp_session_look(struct time_travel_event *event)
{
	unsigned int found = airtcp_engine.session_look(event->time);

	airtcp_entered |= found & AIRTCP_SESSION_ENTERS;
	airtcp_session_watch(found);
	if (airtcp_entered && !airtcp_entering.pending)
		time_travel_add_event(&airtcp_entering, event->time);
	airtcp_session_arm();
}

/* One message, or the part of it for which there is room. */
static ssize_t airtcp_session_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	unsigned int len = 0;
	int more = 0;
	ssize_t err;

	err = mutex_lock_interruptible(&airtcp_session_reader);
	if (err)
		return err;
	while (!len) {
		err = wait_event_interruptible(airtcp_session_wait, airtcp_has_messages);
		if (err)
			break;
		local_bh_disable();
		len = airtcp_engine.session_take(airtcp_session_message, AIRTCP_SESSION_BYTES,
						 &more);
		local_bh_enable();
		airtcp_has_messages = more;
	}
	if (!err) {
		len = min_t(size_t, len, size);
		err = copy_to_user(to, airtcp_session_message, len) ? -EFAULT : len;
	}
	mutex_unlock(&airtcp_session_reader);
	return err;
}

static ssize_t airtcp_session_write(struct file *file, const char __user *from, size_t size,
				    loff_t *pos)
{
	void *message;

	if (!size || size > AIRTCP_SESSION_BYTES)
		return -EMSGSIZE;
	message = memdup_user(from, size);
	if (IS_ERR(message))
		return PTR_ERR(message);
	local_bh_disable();
	airtcp_engine.session_send(message, size, time_travel_now());
	airtcp_session_arm();
	local_bh_enable();
	kfree(message);
	return size;
}

static __poll_t airtcp_session_poll(struct file *file, struct poll_table_struct *table)
{
	poll_wait(file, &airtcp_session_wait, table);
	return EPOLLOUT | (airtcp_has_messages ? EPOLLIN : 0);
}

static const struct file_operations airtcp_session_operations = {
	.owner = THIS_MODULE,
	.poll = airtcp_session_poll,
	.read = airtcp_session_read,
	.write = airtcp_session_write,
};

int airtcp_session_file(void)
{
	if (!airtcp_session_open)
		return -ENODEV;
	if (task_tgid_nr(current) != 1)
		return -EPERM;
	return anon_inode_getfd("[airtcp-session]", &airtcp_session_operations, NULL,
				O_RDWR | O_CLOEXEC);
}

bool airtcp_session_is_open(void)
{
	return airtcp_session_open;
}

void airtcp_session_samples(void (*sample)(u64 time))
{
	airtcp_session_sample = sample;
}

void __init airtcp_session_init(void)
{
	if (airtcp_engine.session_next() == ~0ULL)
		return;
	airtcp_session_open = true;
	airtcp_looking.observer = true;
	time_travel_set_event_fn(&airtcp_looking, airtcp_session_look);
	time_travel_set_event_fn(&airtcp_entering, airtcp_session_enter);
	airtcp_engine_arms(airtcp_session_arm);
	airtcp_session_arm();
}
