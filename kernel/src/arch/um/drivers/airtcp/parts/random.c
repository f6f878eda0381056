// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers of hosts.
 *
 * The kernel has one generator, so the numbers that a host draws depend on how many
 * others drew before it. Once streams have started, each host has its own
 * (SplitMix64; Steele, Lea, Flood 2014), with a seed that the machine's generator
 * gave. A process draws for the host of its network namespace, a soft interrupt for
 * that whose packet or timer it handles (airtcp_softirq_host).
 */
#include <linux/airtcp_hosts.h>
#include <linux/airtcp_random.h>
#include <linux/nsproxy.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/string.h>
#include <net/net_namespace.h>

/* Host 0 is the machine itself. */
#define AIRTCP_STREAM_OF_TABLES (AIRTCP_HOSTS_MAX + 1)

bool airtcp_random_of_hosts;
unsigned int airtcp_softirq_host;

static siphash_key_t airtcp_random_seed;
static u64 airtcp_streams[AIRTCP_HOSTS_MAX + 2];

void airtcp_random_start(void)
{
	unsigned int stream;

	get_random_bytes(&airtcp_random_seed, sizeof(airtcp_random_seed));
	for (stream = 0; stream < ARRAY_SIZE(airtcp_streams); stream++)
		airtcp_streams[stream] = siphash_1u64(stream, &airtcp_random_seed);
	airtcp_random_of_hosts = true;
}

static void airtcp_random_fill(u64 *state, void *buf, size_t len)
{
	while (len) {
		size_t part = min(len, sizeof(u64));
		u64 z = (*state += 0x9e3779b97f4a7c15ULL);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		z ^= z >> 31;
		memcpy(buf, &z, part);
		buf += part;
		len -= part;
	}
}

static unsigned int airtcp_drawing_host(void)
{
	if (!in_task())
		return airtcp_softirq_host;
	return current->nsproxy ? current->nsproxy->net_ns->airtcp_host : 0;
}

void airtcp_random(void *buf, size_t len)
{
	airtcp_random_fill(&airtcp_streams[airtcp_drawing_host()], buf, len);
}

void airtcp_random_key(void *buf, size_t len, const char *name)
{
	u64 state;

	if (!airtcp_random_of_hosts) {
		get_random_bytes(buf, len);
		return;
	}
	state = siphash(name, strlen(name), &airtcp_random_seed);
	airtcp_random_fill(&state, buf, len);
}

u32 airtcp_random_of_tables(void)
{
	u32 number;

	if (!airtcp_random_of_hosts)
		return get_random_u32();
	airtcp_random_fill(&airtcp_streams[AIRTCP_STREAM_OF_TABLES], &number, sizeof(number));
	return number;
}

u32 airtcp_place_of_host(u32 place, u32 entries, unsigned int host)
{
	u32 of_host = entries / roundup_pow_of_two(AIRTCP_HOSTS_MAX + 1);

	if (!airtcp_random_of_hosts || !of_host)
		return place & (entries - 1);
	return host * of_host + place % of_host;
}
