/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the versions of Linux that airtcp is built with. No other
 * file checks a version; add a line here for a version that changes an interface.
 */

#ifndef __AIRTCP_LINUX_H
#define __AIRTCP_LINUX_H

#include <linux/version.h>

#define AIRTCP_LINUX_FROM(major, minor) (LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))

/* ieee80211_rx_status.eht and EHT capabilities of a band */
#define AIRTCP_HAS_EHT AIRTCP_LINUX_FROM(6, 4)
/* net/gso.h; before it, segmentation was part of linux/netdevice.h */
#define AIRTCP_HAS_GSO_HEADER AIRTCP_LINUX_FROM(6, 5)
/* mptcp_sock counts bytes */
#define AIRTCP_HAS_MPTCP_BYTES AIRTCP_LINUX_FROM(6, 5)
/* inode_get_atime() and the like */
#define AIRTCP_HAS_INODE_TIMES AIRTCP_LINUX_FROM(6, 7)
/* _ieee80211_set_sband_iftype_data() */
#define AIRTCP_HAS_IFTYPE_DATA_SETTER AIRTCP_LINUX_FROM(6, 7)
/* ieee80211_emulate_add_chanctx() and the like, which mac80211 requires of a driver */
#define AIRTCP_HAS_CHANCTX_EMULATION AIRTCP_LINUX_FROM(6, 9)
/* countdowns of channel switches and BSS colours belong to a link */
#define AIRTCP_HAS_LINK_COUNTDOWNS AIRTCP_LINUX_FROM(6, 9)
/* alloc_netdev_dummy() */
#define AIRTCP_HAS_DUMMY_NETDEV AIRTCP_LINUX_FROM(6, 10)
/* the tracepoint of a dropped packet tells the socket that was to receive it */
#define AIRTCP_TELLS_DROPPING_SOCKET AIRTCP_LINUX_FROM(6, 11)
/* ieee80211_ops.stop() has a parameter for suspend */
#define AIRTCP_HAS_SUSPEND_IN_STOP AIRTCP_LINUX_FROM(6, 11)

/* rtnl_link_ops.newlink() has a structure of parameters */
#define AIRTCP_HAS_NEWLINK_PARAMS AIRTCP_LINUX_FROM(6, 15)
/* what GRO holds is a structure of its own in a NAPI instance */
#define AIRTCP_HAS_GRO_NODE AIRTCP_LINUX_FROM(6, 15)
/* ieee80211_check_tim() has a parameter for S1G */
#define AIRTCP_HAS_S1G_TIM AIRTCP_LINUX_FROM(7, 0)
/* S_MTIME and the like are gone from linux/fs.h */
#define AIRTCP_LACKS_TIME_FLAGS AIRTCP_LINUX_FROM(7, 0)

/* how far ahead the first timer of an empty wheel is */
#if AIRTCP_LINUX_FROM(6, 16)
#define AIRTCP_NEXT_TIMER_MAX_DELTA TIMER_NEXT_MAX_DELTA
#else
#define AIRTCP_NEXT_TIMER_MAX_DELTA NEXT_TIMER_MAX_DELTA
#endif

/* what the tracepoints of dropped packets and of acknowledgments show is constant */
#if AIRTCP_LINUX_FROM(7, 0)
#define AIRTCP_TRACED const
#else
#define AIRTCP_TRACED
#endif

/* a parameter of ieee80211_ops that tells which radio of the wiphy is meant; ours have one */
#if AIRTCP_LINUX_FROM(6, 17)
#define AIRTCP_RADIO_IDX int radio_idx,
#else
#define AIRTCP_RADIO_IDX
#endif

#endif
