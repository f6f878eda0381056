/* SPDX-License-Identifier: GPL-2.0 */
/* Radios of the modelled medium under mac80211, see driver.h. */
#ifndef __AIRTCP_RADIO_H
#define __AIRTCP_RADIO_H

#include <linux/netdevice.h>
#include <airtcp.h>

/* A wiphy for this NIC. */
int airtcp_radio_add(unsigned int index, const struct airtcp_nic_config *nic);

/* The part of the poll for radios; returns the number of received MPDUs. */
int airtcp_radio_poll(struct napi_struct *napi, int budget);

/* Enters the functions that the engine calls for radios. */
void airtcp_radio_serve(struct airtcp_host *host);

/* Sample mac80211's state of the peers of all radios. */
void airtcp_sample_stations(u64 time);
void airtcp_sample_rates(u64 time);

#endif
