/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What runs in this machine, for whoever has started it. Both sides of User-Mode Linux
 * include this file.
 */
#ifndef __AIRTCP_RUNNING_H
#define __AIRTCP_RUNNING_H

/* The longest line about a process, with its end. */
#define AIRTCP_RUNNING_BYTES 384

/*
 * Writes a line about the current process, and returns its length. It is called in a signal
 * handler, at any instruction of the kernel or while a program runs: it only reads.
 */
unsigned int airtcp_describe_running(char *line, unsigned int size);

/* From now on SIGUSR2 makes the kernel's process write that line to its console. */
void os_airtcp_running_init(void);

#endif
