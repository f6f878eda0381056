// SPDX-License-Identifier: GPL-2.0
/*
 * Looking takes time.
 *
 * A program may wait by looking again and again: it reads a clock, or asks whether data
 * has come. On a real machine that costs power; here it costs virtual time, for
 * two reasons. What it waits for must come nearer with each look, whatever it looks at. And
 * virtual time must not be slower than real time, in which a system call takes some
 * microseconds.
 *
 * Every reading of a clock takes 256 ns (TIMER_MULTIPLIER), of whatever kind the clock is.
 * The first thousand looks after a wait take no more, because programs read clocks for other
 * reasons than waiting: for statistics, or for each packet of a batch. A task that
 * looks more often than that polls. When its looks follow one another, each of them takes a
 * sixteenth of the time for which they have done so, up to 20 us: so it sees what it
 * waits for too late by at most 1/16 of its wait, and by no more than the 20 us or so by which
 * a program that polls on a real machine can be interrupted. Sending or
 * receiving something ends the series. To sleep, or to wait in a call, makes all
 * looks free again.
 *
 * Other system calls take no time, unless a task makes so many of them at one instant that it
 * may poll by these, too: then each takes the microsecond that it takes on real machines.
 *
 * The machine's own process 1 does not poll.
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <linux/time-internal.h>
#include <linux/time64.h>
#include <uapi/linux/wait.h>
#include <airtcp_polling.h>
#include <asm/ioctls.h>
#include <asm/unistd.h>
#include <sysdep/ptrace.h>

/* Looks after a wait that take no time beyond that of reading a clock. */
#define AIRTCP_LOOKS_FREE 1000
/* The part of the time that a task has been looking for that each further look takes. */
#define AIRTCP_LOOK_PART 16
#define AIRTCP_LOOK_MOST (20 * NSEC_PER_USEC)
/* A sleep up to this long is none: the shortest timer takes a step of the clock. */
#define AIRTCP_NO_SLEEP (4 * TIMER_MULTIPLIER)
/* Other calls at one instant that take no time: starting a large program makes ten thousand. */
#define AIRTCP_CALLS_FREE 100000
#define AIRTCP_CALL_TAKES NSEC_PER_USEC

/* What a task has done since it last waited. */
struct airtcp_poller {
	pid_t task;
	u64 started;		    /* the task, and when: numbers are used again */
	unsigned long waits;	    /* how often it had waited when it looked last */
	unsigned int looks;	    /* since then */
	unsigned int repeated;	    /* looks one after the other, once there have been many */
	unsigned long long since;   /* when the first of these began */
	unsigned long long instant; /* of its last other call, */
	unsigned int calls;	    /* and how many others it has made at that instant */
};

/*
 * By the last digits of the task's number: two that have the same begin anew in turns, and look
 * at the usual price.
 */
static struct airtcp_poller airtcp_pollers[1024];

static struct airtcp_poller *airtcp_poller_of_current(void)
{
	pid_t task = task_pid_nr(current);
	struct airtcp_poller *poller = &airtcp_pollers[task % ARRAY_SIZE(airtcp_pollers)];

	if (poller->task != task || poller->started != current->start_time)
		*poller = (struct airtcp_poller){
			.task = task,
			.started = current->start_time,
			.waits = current->nvcsw,
		};
	return poller;
}

enum airtcp_call {
	AIRTCP_READS_CLOCK,
	AIRTCP_LOOKS,  /* and sees that nothing has happened */
	AIRTCP_STATES, /* something about what is, as many do in between */
	AIRTCP_WORKS,
};

/* Calls that read a clock, a timer, or time that was used. */
static bool airtcp_reads_clock(long number)
{
	switch (number) {
	case __NR_adjtimex:
	case __NR_clock_adjtime:
	case __NR_clock_gettime:
	case __NR_getitimer:
	case __NR_getrusage:
	case __NR_gettimeofday:
	case __NR_sysinfo:
	case __NR_time:
	case __NR_timer_getoverrun:
	case __NR_timer_gettime:
	case __NR_timerfd_gettime:
	case __NR_times:
		return true;
	default:
		return false;
	}
}

static bool airtcp_asks_of_queue(unsigned long request)
{
	return request == FIONREAD || request == TIOCOUTQ || request == SIOCOUTQNSD;
}

static enum airtcp_call airtcp_kind(struct pt_regs *regs, long number, unsigned long result,
				    unsigned long long took)
{
	struct uml_pt_regs *r = &regs->regs;

	if (airtcp_reads_clock(number))
		return AIRTCP_READS_CLOCK;
	if (IS_ERR_VALUE(result))
		return AIRTCP_LOOKS;
	switch (number) {
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_epoll_pwait2:
	case __NR_poll:
	case __NR_ppoll:
	case __NR_pselect6:
	case __NR_select:
	case __NR_wait4:
		return result ? AIRTCP_STATES : AIRTCP_LOOKS;
	case __NR_clock_nanosleep:
	case __NR_nanosleep:
		return took <= AIRTCP_NO_SLEEP ? AIRTCP_LOOKS : AIRTCP_WORKS;
	case __NR_ioctl:
		return airtcp_asks_of_queue(UPT_SYSCALL_ARG2(r)) ? AIRTCP_LOOKS : AIRTCP_WORKS;
	case __NR_kill:
		return UPT_SYSCALL_ARG2(r) ? AIRTCP_WORKS : AIRTCP_LOOKS;
	case __NR_waitid:
		return UPT_SYSCALL_ARG4(r) & WNOHANG ? AIRTCP_LOOKS : AIRTCP_WORKS;
	case __NR_getpid:
	case __NR_getppid:
	case __NR_getsockopt:
	case __NR_gettid:
	case __NR_sched_yield:
		return AIRTCP_LOOKS;
	case __NR_access:
	case __NR_faccessat:
	case __NR_faccessat2:
	case __NR_fcntl:
	case __NR_fstat:
	case __NR_futex:
	case __NR_getpeername:
	case __NR_getsockname:
	case __NR_lseek:
	case __NR_lstat:
	case __NR_newfstatat:
	case __NR_rt_sigprocmask:
	case __NR_stat:
	case __NR_statx:
		return AIRTCP_STATES;
	default:
		return AIRTCP_WORKS;
	}
}

/* How long a look takes that takes `base` if it is one of few. */
static unsigned long long airtcp_look_takes(struct airtcp_poller *poller, unsigned long long base,
					    unsigned long long began)
{
	if (poller->waits != current->nvcsw) {
		poller->waits = current->nvcsw;
		poller->looks = 0;
		poller->repeated = 0;
	}
	if (poller->looks < AIRTCP_LOOKS_FREE) {
		poller->looks++;
		return base;
	}
	if (!poller->repeated)
		poller->since = began;
	if (poller->repeated < AIRTCP_LOOK_PART) {
		poller->repeated++;
		return base;
	}
	return clamp_t(unsigned long long, (began - poller->since) / AIRTCP_LOOK_PART,
		       TIMER_MULTIPLIER, AIRTCP_LOOK_MOST);
}

static void airtcp_polling_look(struct airtcp_poller *poller, unsigned long long base,
				unsigned long long began)
{
	unsigned long long takes = airtcp_look_takes(poller, base, began);
	unsigned long long took = time_travel_now() - began;

	if (took < takes)
		time_travel_pass(takes - took);
	/* Programs of other hosts do not wait for the one that polls. */
	if (poller->repeated)
		yield();
}

static void airtcp_polling_other(struct airtcp_poller *poller)
{
	if (poller->instant != time_travel_now()) {
		poller->instant = time_travel_now();
		poller->calls = 0;
	}
	if (poller->calls < AIRTCP_CALLS_FREE) {
		poller->calls++;
		return;
	}
	time_travel_pass(AIRTCP_CALL_TAKES);
	poller->instant = time_travel_now();
}

void airtcp_polling_call(struct pt_regs *regs, long number, unsigned long result,
			 unsigned long long began)
{
	struct airtcp_poller *poller;
	enum airtcp_call kind;

	if (time_travel_mode == TT_MODE_OFF || task_tgid_nr(current) == 1)
		return;
	poller = airtcp_poller_of_current();
	kind = airtcp_kind(regs, number, result, time_travel_now() - began);
	switch (kind) {
	case AIRTCP_READS_CLOCK:
		airtcp_polling_look(poller, TIMER_MULTIPLIER, began);
		break;
	case AIRTCP_LOOKS:
		/* A sleep of no time is no wait. */
		if (number == __NR_nanosleep || number == __NR_clock_nanosleep)
			poller->waits += poller->waits + 1 == current->nvcsw;
		airtcp_polling_look(poller, 0, began);
		break;
	case AIRTCP_WORKS:
		poller->repeated = 0;
		fallthrough;
	case AIRTCP_STATES:
		airtcp_polling_other(poller);
		break;
	}
}

void airtcp_polling_clock(unsigned long long began)
{
	if (task_tgid_nr(current) != 1)
		airtcp_polling_look(airtcp_poller_of_current(), TIMER_MULTIPLIER, began);
}
