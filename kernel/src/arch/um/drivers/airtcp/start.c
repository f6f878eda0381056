// SPDX-License-Identifier: GPL-2.0
/*
 * Starts the engine and makes its NICs. A room calls only those below it: what it needs of a
 * higher one is handed down here.
 */
#include <linux/init.h>
#include <linux/tcp.h>
#include "engine/engine.h"
#include "nic/nic.h"
#include "parts/parts.h"
#include "probe/probe.h"
#include "radio/radio.h"
#include "session/session.h"
#include "wire/wire.h"

static struct airtcp_host airtcp_host __ro_after_init = {
	.abi = AIRTCP_ABI,
	.tcp_info_len = sizeof(struct tcp_info),
};

static int airtcp_receive(struct napi_struct *napi, int budget)
{
	int done = airtcp_nic_poll(napi, budget);

	return done + airtcp_radio_poll(napi, budget - done);
}

static void __init airtcp_add_nics(void)
{
	struct airtcp_nic_config config;
	unsigned int index;
	int err;

	if (airtcp_engine.nics > AIRTCP_NICS_MAX)
		panic("airtcp: %u NICs, at most %u are possible", airtcp_engine.nics,
		      AIRTCP_NICS_MAX);
	for (index = 0; index < airtcp_engine.nics; index++) {
		airtcp_engine.nic(index, &config);
		err = config.kind == AIRTCP_RADIO ? airtcp_radio_add(index, &config) :
						    airtcp_nic_add(index, &config);
		if (err)
			panic("airtcp: cannot register NIC %u: %d", index, err);
	}
}

static int __init airtcp_init(void)
{
	int err;

	airtcp_nic_serve(&airtcp_host);
	airtcp_radio_serve(&airtcp_host);
	airtcp_wire_serve(&airtcp_host);
	if (!os_airtcp_start(&airtcp_host, &airtcp_engine))
		return 0;
	err = airtcp_engine_init(airtcp_receive);
	if (err)
		return err;
	airtcp_add_nics();
	airtcp_arm();
	airtcp_session_init();
	airtcp_parts_init(airtcp_wire_separate);
	return airtcp_probe_init();
}
late_initcall(airtcp_init);
