/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers of hosts (arch/um/drivers/airtcp/parts). In a network that
 * is split into two parts, the numbers of a host must not depend on what
 * other hosts drew before.
 */
#ifndef __LINUX_AIRTCP_RANDOM_H
#define __LINUX_AIRTCP_RANDOM_H

#include <linux/types.h>

#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT

/* From now on each host has a stream of its own. */
void airtcp_random_start(void);

extern bool airtcp_random_of_hosts;

/* The host for which a soft interrupt works; 0: for none, or for the machine. */
extern unsigned int airtcp_softirq_host;

/* Random bytes of the host for which the caller works. */
void airtcp_random(void *buf, size_t len);

/* A key of the whole machine that is drawn when it is first needed, by its name. */
void airtcp_random_key(void *buf, size_t len, const char *name);

/* For tables of the whole machine, which grow when any host needs room. */
u32 airtcp_random_of_tables(void);

/* A place in a table of this many entries (a power of two) that no other host uses. */
u32 airtcp_place_of_host(u32 place, u32 entries, unsigned int host);

#else
#include <linux/random.h>

static inline void airtcp_random_key(void *buf, size_t len, const char *name)
{
	get_random_bytes(buf, len);
}

static inline u32 airtcp_random_of_tables(void)
{
	return get_random_u32();
}
#endif

#endif
