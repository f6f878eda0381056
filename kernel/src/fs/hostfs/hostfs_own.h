/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __UM_FS_HOSTFS_OWN
#define __UM_FS_HOSTFS_OWN

#include <linux/airtcp_linux.h>
#include <linux/fs.h>
#include "hostfs.h"

#if AIRTCP_LACKS_TIME_FLAGS
/* Which of the times of an inode change. */
#define S_MTIME 2
#define S_CTIME 4
#endif

/*
 * A host folder that the guest may write is private to the guest: it shows
 * nothing that differs between hosts or between users of a host. The values shown
 * instead are stored here for each file, by its device and inode number of the host.
 */
static inline bool hostfs_is_own(const struct super_block *sb)
{
	return !sb_rdonly(sb);
}

/*
 * Replaces the host's attributes of a file by those of the guest. -ENOENT: the guest has no
 * such file.
 */
int hostfs_own_see(struct super_block *sb, struct hostfs_stat *st);
/* The host mode of a file that the guest creates in this folder. */
umode_t hostfs_own_host_mode(const struct inode *dir, umode_t mode);
/* The guest has just created this file. */
void hostfs_own_made(struct inode *dir, const char *path, umode_t mode);
/*
 * The guest has just removed a name of a file. `gone` has the host's attributes of the file
 * from before: if this was the last name, the host may reuse its numbers.
 */
void hostfs_own_gone(struct inode *dir, const struct hostfs_stat *gone, struct inode *inode);
/* Times that an operation changes: S_MTIME, S_CTIME. */
void hostfs_own_touch(struct inode *inode, int times);
/* Stores the guest's changes of an inode. */
void hostfs_own_keep(struct inode *inode, int flags);
/* The part of the guest's changes that is applied on the host. */
void hostfs_own_attributes(const struct inode *inode, struct hostfs_iattr *attrs);
/* The names of a folder in the order in which the guest first saw them. */
int hostfs_own_readdir(struct file *file, struct dir_context *ctx, const char *path);

#endif
