/* SPDX-License-Identifier: GPL-2.0 */
/* The session of the engine's run, if it has one. */
#ifndef __AIRTCP_SESSION_H
#define __AIRTCP_SESSION_H

/* With the drivers, after the engine has been started. */
void airtcp_session_init(void);

/* A descriptor of the session's messages for process 1, or an error. */
int airtcp_session_file(void);

#endif
