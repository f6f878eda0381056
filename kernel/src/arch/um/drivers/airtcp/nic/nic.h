/* SPDX-License-Identifier: GPL-2.0 */
/* Ethernet devices whose medium is modelled, see nic.c. */
#ifndef __AIRTCP_NIC_H
#define __AIRTCP_NIC_H

#include <linux/netdevice.h>
#include <airtcp.h>

/* An Ethernet device for this NIC. */
int airtcp_nic_add(unsigned int index, const struct airtcp_nic_config *config);

/* Receives frames that the engine has delivered; returns their number. */
int airtcp_nic_poll(struct napi_struct *napi, int budget);

/* Enters the functions that the engine calls for such NICs. */
void airtcp_nic_serve(struct airtcp_host *host);

#endif
