// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's view of a private folder (hostfs_own.h).
 *
 * Inode numbers count files in the order in which the guest first sees them. Owners, modes
 * and times are those that the guest set; a file that it did not create belongs
 * to root and has the time of the mount. The host's owners, modes and times do not
 * change, because the host's user must be able to read and write all files.
 */
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/airtcp_linux.h>
#include "hostfs_own.h"

#if !AIRTCP_HAS_INODE_TIMES
#define inode_get_atime(inode)		 ((inode)->i_atime)
#define inode_get_mtime(inode)		 ((inode)->i_mtime)
#define inode_set_mtime_to_ts(inode, ts) ((inode)->i_mtime = (ts))
#endif

/* Positions below this are those of a folder's "." and "..". */
#define FIRST_NUMBER 2
/* Permissions that the host's user always has, whatever the guest's modes. */
#define HOST_FILE_MODE	 0600
#define HOST_FOLDER_MODE 0700
/* Of files that the guest did not create */
#define FOUND_FILE_MODE	  0644
#define FOUND_FOLDER_MODE 0755
#define FOLDER_SIZE	  4096
#define SECTOR_SIZE_BITS  9

struct own_file {
	struct hlist_node by_host, by_number;
	unsigned long long host_dev, host_ino;
	unsigned long number;
	umode_t mode;
	uid_t uid;
	gid_t gid;
	struct hostfs_timespec atime, mtime, ctime, btime;
};

static DEFINE_HASHTABLE(own_by_host, 10);
static DEFINE_HASHTABLE(own_by_number, 10);
static unsigned long last_number = FIRST_NUMBER - 1;
/* Protects look-up and insertion as one step. */
static DEFINE_MUTEX(own_lock);

static struct hostfs_timespec hostfs_time(struct timespec64 ts)
{
	return (struct hostfs_timespec){ ts.tv_sec, ts.tv_nsec };
}

static struct own_file *own_find(unsigned long long dev, unsigned long long ino)
{
	struct own_file *own;

	hash_for_each_possible(own_by_host, own, by_host, ino) {
		if (own->host_ino == ino && own->host_dev == dev)
			return own;
	}
	return NULL;
}

static struct own_file *own_numbered(const struct inode *inode)
{
	struct own_file *own;

	hash_for_each_possible(own_by_number, own, by_number, inode->i_ino) {
		if (own->number == inode->i_ino)
			return own;
	}
	return NULL;
}

static void hostfs_own_set_times(struct own_file *own, struct hostfs_timespec now)
{
	own->atime = now;
	own->mtime = now;
	own->ctime = now;
	own->btime = now;
}

/* The file with these host numbers; a new entry has the time of the mount. */
static struct own_file *own_file(unsigned long long dev, unsigned long long ino)
{
	static struct hostfs_timespec mounted;
	struct own_file *own = own_find(dev, ino);

	if (own)
		return own;
	own = kzalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return NULL;
	if (!mounted.tv_sec) {
		struct timespec64 now;

		ktime_get_coarse_real_ts64(&now);
		mounted = hostfs_time(now);
	}
	own->host_dev = dev;
	own->host_ino = ino;
	own->number = ++last_number;
	hostfs_own_set_times(own, mounted);
	hash_add(own_by_host, &own->by_host, ino);
	hash_add(own_by_number, &own->by_number, own->number);
	return own;
}

static unsigned long long own_blocks(const struct hostfs_stat *st)
{
	if (S_ISREG(st->mode))
		return round_up(st->size, PAGE_SIZE) >> SECTOR_SIZE_BITS;
	return S_ISDIR(st->mode) ? FOLDER_SIZE >> SECTOR_SIZE_BITS : 0;
}

static umode_t found_mode(umode_t host_mode)
{
	if (S_ISLNK(host_mode))
		return host_mode;
	return (host_mode & S_IFMT) | (S_ISDIR(host_mode) ? FOUND_FOLDER_MODE : FOUND_FILE_MODE);
}

/*
 * What the host's kernel shows of its processes is none of a machine's files: the descriptors
 * of the kernel's own process lead to the folder of the run. The place itself stays, for the
 * guest's own procfs.
 */
static bool is_of_host_proc(const struct hostfs_stat *st)
{
	static struct hostfs_stat proc;

	if (!proc.mode && stat_file("/proc", &proc, -1))
		return false;
	return hostfs_stat_dev(st) == hostfs_stat_dev(&proc) && st->ino != proc.ino;
}

int hostfs_own_see(struct super_block *sb, struct hostfs_stat *st)
{
	struct own_file *own;

	if (!hostfs_is_own(sb))
		return is_of_host_proc(st) ? -ENOENT : 0;
	mutex_lock(&own_lock);
	own = own_file(hostfs_stat_dev(st), st->ino);
	if (own) {
		if (!own->mode)
			own->mode = found_mode(st->mode);
		st->ino = own->number;
		st->mode = own->mode;
		st->uid = own->uid;
		st->gid = own->gid;
		st->atime = own->atime;
		st->mtime = own->mtime;
		st->ctime = own->ctime;
		hostfs_stat_hide(st, own->btime);
	}
	mutex_unlock(&own_lock);
	if (!own)
		return -ENOMEM;
	st->blocks = own_blocks(st);
	if (S_ISDIR(st->mode)) {
		st->size = FOLDER_SIZE;
		/* Some file systems of hosts count subfolders, some do not. */
		st->nlink = 1;
	}
	return 0;
}

void hostfs_own_keep(struct inode *inode, int flags)
{
	struct own_file *own;

	if (!hostfs_is_own(inode->i_sb))
		return;
	mutex_lock(&own_lock);
	own = own_numbered(inode);
	if (own) {
		own->mode = inode->i_mode;
		own->uid = i_uid_read(inode);
		own->gid = i_gid_read(inode);
		own->atime = hostfs_time(inode_get_atime(inode));
		own->mtime = hostfs_time(inode_get_mtime(inode));
		own->ctime = hostfs_time(inode_get_ctime(inode));
	}
	mutex_unlock(&own_lock);
}

void hostfs_own_touch(struct inode *inode, int times)
{
	struct timespec64 now = current_time(inode);

	if (!hostfs_is_own(inode->i_sb))
		return;
	if (times & S_MTIME)
		inode_set_mtime_to_ts(inode, now);
	if (times & S_CTIME)
		inode_set_ctime_to_ts(inode, now);
	hostfs_own_keep(inode, 0);
}

umode_t hostfs_own_host_mode(const struct inode *dir, umode_t mode)
{
	if (!hostfs_is_own(dir->i_sb))
		return mode & 0777;
	return (mode & 0777) | (S_ISDIR(mode) ? HOST_FOLDER_MODE : HOST_FILE_MODE);
}

void hostfs_own_made(struct inode *dir, const char *path, umode_t mode)
{
	struct hostfs_stat st;
	struct own_file *own;

	if (!hostfs_is_own(dir->i_sb))
		return;
	hostfs_own_touch(dir, S_MTIME | S_CTIME);
	if (stat_file(path, &st, -1))
		return;
	mutex_lock(&own_lock);
	own = own_file(hostfs_stat_dev(&st), st.ino);
	if (own) {
		own->mode = (st.mode & S_IFMT) | (mode & S_IALLUGO);
		own->uid = from_kuid(&init_user_ns, current_fsuid());
		own->gid = from_kgid(&init_user_ns, current_fsgid());
		hostfs_own_set_times(own, hostfs_time(current_time(dir)));
	}
	mutex_unlock(&own_lock);
}

void hostfs_own_gone(struct inode *dir, const struct hostfs_stat *gone, struct inode *inode)
{
	struct own_file *own;

	if (!hostfs_is_own(dir->i_sb))
		return;
	hostfs_own_touch(dir, S_MTIME | S_CTIME);
	hostfs_own_touch(inode, S_CTIME);
	if (!S_ISDIR(gone->mode) && gone->nlink > 1)
		return;
	mutex_lock(&own_lock);
	own = own_find(hostfs_stat_dev(gone), gone->ino);
	if (own) {
		hash_del(&own->by_host);
		hash_del(&own->by_number);
		kfree(own);
	}
	mutex_unlock(&own_lock);
}

void hostfs_own_attributes(const struct inode *inode, struct hostfs_iattr *attrs)
{
	if (!hostfs_is_own(inode->i_sb))
		return;
	attrs->ia_valid &= ~(HOSTFS_ATTR_UID | HOSTFS_ATTR_GID);
	if (attrs->ia_valid & HOSTFS_ATTR_MODE)
		attrs->ia_mode = hostfs_own_host_mode(inode, (inode->i_mode & S_IFMT) |
								     (attrs->ia_mode & 0777));
}

struct own_name {
	char *name;
	unsigned long number;
	unsigned long long host_ino;
	unsigned int type;
};

struct own_names {
	struct own_name *all;
	int count, room;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct own_name *)a)->name, ((const struct own_name *)b)->name);
}

static int by_number(const void *a, const void *b)
{
	unsigned long x = ((const struct own_name *)a)->number,
		      y = ((const struct own_name *)b)->number;

	return x < y ? -1 : x > y ? 1 : by_name(a, b);
}

static void free_names(struct own_names *names)
{
	while (names->count > 0)
		kfree(names->all[--names->count].name);
	kvfree(names->all);
}

static int add_name(struct own_names *names, struct own_name one, int len)
{
	if (names->count == names->room) {
		int room = names->room ? 2 * names->room : 64;
		struct own_name *all = kvmalloc_array(room, sizeof(*all), GFP_KERNEL);

		if (!all)
			return -ENOMEM;
		if (names->count)
			memcpy(all, names->all, names->count * sizeof(*all));
		kvfree(names->all);
		names->all = all;
		names->room = room;
	}
	one.name = kmemdup_nul(one.name, len, GFP_KERNEL);
	if (!one.name)
		return -ENOMEM;
	names->all[names->count++] = one;
	return 0;
}

static int read_names(const char *path, struct own_names *names)
{
	unsigned long long next;
	struct own_name one;
	int err, len;
	void *dir = open_dir((char *)path, &err);

	if (!dir)
		return -err;
	err = 0;
	while (!err && (one.name = read_dir(dir, &next, &one.host_ino, &len, &one.type)) != NULL) {
		bool dots = one.name[0] == '.' && (len == 1 || (len == 2 && one.name[1] == '.'));

		if (!dots)
			err = add_name(names, one, len);
	}
	close_dir(dir);
	return err;
}

/* Numbers the files that the guest sees here for the first time, in the order of their names. */
static int number_names(unsigned long long dev, struct own_names *names)
{
	struct own_file *own = NULL;
	int i;

	sort(names->all, names->count, sizeof(*names->all), by_name, NULL);
	mutex_lock(&own_lock);
	for (i = 0; i < names->count; i++) {
		own = own_file(dev, names->all[i].host_ino);
		if (!own)
			break;
		names->all[i].number = own->number;
	}
	mutex_unlock(&own_lock);
	if (i < names->count)
		return -ENOMEM;
	sort(names->all, names->count, sizeof(*names->all), by_number, NULL);
	return 0;
}

int hostfs_own_readdir(struct file *file, struct dir_context *ctx, const char *path)
{
	struct own_names names = {};
	struct hostfs_stat st;
	int i, err;

	if (!dir_emit_dots(file, ctx))
		return 0;
	err = stat_file(path, &st, -1);
	if (!err)
		err = read_names(path, &names);
	if (!err)
		err = number_names(hostfs_stat_dev(&st), &names);
	for (i = 0; !err && i < names.count; i++) {
		const struct own_name *one = &names.all[i];

		/* A position is the number of the next entry. */
		if (one->number < ctx->pos)
			continue;
		if (!dir_emit(ctx, one->name, strlen(one->name), one->number, one->type))
			break;
		ctx->pos = one->number + 1;
	}
	free_names(&names);
	return err;
}
