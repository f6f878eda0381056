/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that wait without sleeping: they look again and again whether something has
 * happened or whether it is time. With an infinitely fast CPU they would never see that, or
 * only after much real time, so looking takes time (drivers/airtcp/programs/polling.c).
 */
#ifndef __AIRTCP_POLLING_H
#define __AIRTCP_POLLING_H

struct pt_regs;

/* A system call of the current task ends that began at this time. */
void airtcp_polling_call(struct pt_regs *regs, long number, unsigned long result,
			 unsigned long long began);

/* The current task has read a clock, beginning at this time, without a system call. */
void airtcp_polling_clock(unsigned long long began);

#endif
