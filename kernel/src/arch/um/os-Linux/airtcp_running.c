// SPDX-License-Identifier: GPL-2.0
/*
 * Who started this machine may ask with a signal what runs in it: a program that never
 * waits stops virtual time, and nothing in the machine can say so any more.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <airtcp_running.h>

static void airtcp_tell_running(int sig)
{
	char line[AIRTCP_RUNNING_BYTES];
	int was = errno;
	ssize_t written;

	/* To the console, past the driver of the console, which may have been interrupted. */
	written = write(STDOUT_FILENO, line, airtcp_describe_running(line, sizeof(line)));
	(void)written;
	errno = was;
}

void os_airtcp_running_init(void)
{
	struct sigaction action = { .sa_handler = airtcp_tell_running, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR2, &action, NULL);
}
