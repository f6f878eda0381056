// SPDX-License-Identifier: GPL-2.0
/*
 * Recorders of series, and readers of their runs, know the places of the fields of
 * struct tcp_info by one table. A kernel whose structure differs is not built.
 */
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/tcp.h>
#include <linux/version.h>

#define AIRTCP_PLACE(name, offset)  static_assert(offsetof(struct tcp_info, name) == (offset))
#define AIRTCP_OCTETS(name, octets) static_assert(sizeof_field(struct tcp_info, name) == (octets))

#include "tcp_info_fields.h"

/* The last of the table's fields are bits, which have no place that could be asserted. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
static_assert(sizeof(struct tcp_info) >= 280);
#endif
