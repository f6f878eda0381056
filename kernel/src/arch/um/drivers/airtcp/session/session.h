/* SPDX-License-Identifier: GPL-2.0 */
/* The session of the engine's run, if it has one. */
#ifndef __AIRTCP_SESSION_H
#define __AIRTCP_SESSION_H

#include <linux/types.h>

/* With the drivers, after the engine has been started. */
void airtcp_session_init(void);

/* Whether the run has a session. */
bool airtcp_session_is_open(void);

/* sample: samples what is watched (airtcp_watching) when an instant is over. */
void airtcp_session_samples(void (*sample)(u64 time));

/* A descriptor of the session's messages for process 1, or an error. */
int airtcp_session_file(void);

#endif
