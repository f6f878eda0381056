/* SPDX-License-Identifier: GPL-2.0 */
/* Observations for the engine, see file.c. */
#ifndef __AIRTCP_PROBE_H
#define __AIRTCP_PROBE_H

/* Makes /dev/airtcp, through which process 1 selects what is observed. */
int airtcp_probe_init(void);

#endif
