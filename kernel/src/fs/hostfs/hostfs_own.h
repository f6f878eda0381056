/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __UM_FS_HOSTFS_OWN
#define __UM_FS_HOSTFS_OWN

#include <linux/fs.h>
#include "hostfs.h"

/*
 * A folder of the host that the guest may write is the guest's own: it shows
 * nothing that differs between two hosts or two users of one. What it shows
 * instead is kept here for each file, by the host's numbers of it.
 */
static inline bool hostfs_is_own(const struct super_block *sb)
{
	return !sb_rdonly(sb);
}

/* Puts what the guest sees in the place of what the host says of a file. */
int hostfs_own_see(struct super_block *sb, struct hostfs_stat *st);
/* With which mode the host makes a file that the guest makes in this folder. */
umode_t hostfs_own_host_mode(const struct inode *dir, umode_t mode);
/* The guest has just made this file. */
void hostfs_own_made(struct inode *dir, const char *path, umode_t mode);
/*
 * The guest has just taken a name from a file. `gone` is what the host said of it
 * before: if it was the last name, the host may give its numbers to another file.
 */
void hostfs_own_gone(struct inode *dir, const struct hostfs_stat *gone, struct inode *inode);
/* Times that change with something else: S_MTIME, S_CTIME. */
void hostfs_own_touch(struct inode *inode, int times);
/* Keeps what the guest changed of an inode. */
void hostfs_own_keep(struct inode *inode, int flags);
/* What the host is told to change of what the guest changes. */
void hostfs_own_attributes(const struct inode *inode, struct hostfs_iattr *attrs);
/* The names of a folder in the order in which the guest came to know them. */
int hostfs_own_readdir(struct file *file, struct dir_context *ctx, const char *path);

#endif
