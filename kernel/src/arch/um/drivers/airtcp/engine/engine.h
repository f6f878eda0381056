/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The drivers share one engine: one library, one event of the calendar and
 * one NAPI context in which the engine runs. Every call of the engine is made
 * with soft interrupts off, passes the time, and is followed by airtcp_arm().
 */
#ifndef __AIRTCP_ENGINE_H
#define __AIRTCP_ENGINE_H

#include <linux/netdevice.h>
#include <airtcp.h>

extern struct airtcp_engine airtcp_engine;

/* What the session's user waits for: AIRTCP_SESSION_FLOWS and those that follow it. */
extern unsigned int airtcp_watching;

/* A packet is lost at this instant: the engine will be told when it is over. */
extern bool airtcp_has_lost;

/* Puts the engine's next event into the calendar. */
void airtcp_arm(void);

/* Schedules the NAPI context at the current time. */
void airtcp_poll_soon(void);

/* The place of the engine's event among those of its instant. */
void airtcp_engine_rank(unsigned int rank);

/* NAPI requires a device: one that is not part of the medium. */
struct net_device *airtcp_napi_dev(void);

/* arm_session: called when the engine's event is armed, to arm that of a session, too. */
void airtcp_engine_arms(void (*arm_session)(void));

/*
 * The engine has been started. receive: each poll ends with it; it receives what the engine has
 * delivered, and returns the number of frames.
 */
int airtcp_engine_init(int (*receive)(struct napi_struct *napi, int budget));

#endif
