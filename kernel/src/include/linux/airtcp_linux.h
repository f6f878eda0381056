/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the versions of Linux that airtcp is built with. Nothing
 * else here asks for a version; a new one that changes an interface gets a line.
 */

#ifndef __AIRTCP_LINUX_H
#define __AIRTCP_LINUX_H

#include <linux/version.h>

#define AIRTCP_LINUX_FROM(major, minor) (LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))

/* ieee80211_rx_status.eht and EHT capabilities of a band */
#define AIRTCP_HAS_EHT AIRTCP_LINUX_FROM(6, 4)
/* inode_get_atime() and the like */
#define AIRTCP_HAS_INODE_TIMES AIRTCP_LINUX_FROM(6, 7)
/* _ieee80211_set_sband_iftype_data() */
#define AIRTCP_HAS_IFTYPE_DATA_SETTER AIRTCP_LINUX_FROM(6, 7)
/* ieee80211_emulate_add_chanctx() and the like, without which a driver is refused */
#define AIRTCP_HAS_CHANCTX_EMULATION AIRTCP_LINUX_FROM(6, 9)
/* countdowns of channel switches and BSS colours are of a link */
#define AIRTCP_HAS_LINK_COUNTDOWNS AIRTCP_LINUX_FROM(6, 9)
/* alloc_netdev_dummy() */
#define AIRTCP_HAS_DUMMY_NETDEV AIRTCP_LINUX_FROM(6, 10)
/* ieee80211_ops.stop() is told whether the machine is suspended */
#define AIRTCP_HAS_SUSPEND_IN_STOP AIRTCP_LINUX_FROM(6, 11)

#endif
