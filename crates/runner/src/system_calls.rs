//! The system calls that a guest's process may make on the host; all others do not exist for it (ENOSYS).
//!
//! The list is what User-Mode Linux, the C library's start and the guest library call, with each call's relatives that other
//! C libraries use in its place. What is left out reaches parts of the host's kernel that no guest needs: sockets of every kind, `bpf`,
//! `perf_event_open`, `userfaultfd`, `io_uring`, keys, System V and POSIX queues, mounts, namespaces, modules, priorities, `process_vm_*`.
//! "Does not exist" rather than "not permitted", because C libraries then fall back to the calls that they used before.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// Files: Landlock decides which of them may be changed. No `chown`: owners of a guest's files never reach the host.
const FILES: &[i64] = &[
    libc::SYS_access,
    libc::SYS_chdir,
    libc::SYS_chmod,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup2,
    libc::SYS_dup3,
    libc::SYS_epoll_create,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_wait,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_futimesat,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_link,
    libc::SYS_linkat,
    libc::SYS_lseek,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
    libc::SYS_mknod,
    libc::SYS_mknodat,
    libc::SYS_newfstatat,
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_pipe,
    libc::SYS_pipe2,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_symlink,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    libc::SYS_utime,
    libc::SYS_utimensat,
    libc::SYS_utimes,
    libc::SYS_write,
    libc::SYS_writev,
];

const MEMORY: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
];

/// Processes of its own: the kernel makes and traces one for each address space of the guest.
const PROCESSES: &[i64] = &[
    libc::SYS_arch_prctl,
    libc::SYS_clone,
    libc::SYS_execve,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fork,
    libc::SYS_futex,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpgrp,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getrlimit,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_ptrace,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_thread_area,
    libc::SYS_set_tid_address,
    libc::SYS_setpgid,
    libc::SYS_setrlimit,
    libc::SYS_setsid,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_vfork,
    libc::SYS_wait4,
    libc::SYS_waitid,
];

const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_pause,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_tgkill,
    libc::SYS_tkill,
];

const TIME: &[i64] = &[
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_timer_create,
    libc::SYS_timer_delete,
    libc::SYS_timer_gettime,
    libc::SYS_timer_settime,
];

/// Allowed requests of `ioctl`: whether a file is a terminal, how much can be read of it, and how it is inherited. Others can
/// inject input into terminals.
const IOCTLS: &[libc::Ioctl] =
    &[libc::FIOCLEX, libc::FIONBIO, libc::FIONCLEX, libc::FIONREAD, libc::TCGETS, libc::TIOCGWINSZ];

/// Restricts the calling process and all that it starts to these calls, irrevocably. Does nothing where the host's kernel has no filters.
///
/// # Errors
/// An error of the system.
pub fn restrict() -> io::Result<()> {
    match seccompiler::apply_filter(&filter()) {
        // The errors of a kernel without filters.
        Err(seccompiler::Error::Seccomp(error)) if is_missing(&error) => Ok(()),
        other => other.map_err(io::Error::other),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS))
}

fn filter() -> BpfProgram {
    let listed = [FILES, MEMORY, PROCESSES, SIGNALS, TIME].concat();
    let mut calls: BTreeMap<_, _> = listed.into_iter().map(|call| (call, Vec::new())).collect();
    calls.insert(libc::SYS_ioctl, IOCTLS.iter().map(|&request| second_argument_is(request)).collect());
    let missing = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    let machine = std::env::consts::ARCH.try_into().expect("guests run on x86-64");
    let filter = SeccompFilter::new(calls, missing, SeccompAction::Allow, machine);
    filter.and_then(TryInto::try_into).expect("the filter is the same everywhere")
}

fn second_argument_is(value: u64) -> SeccompRule {
    let equal = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
    SeccompRule::new(vec![equal.expect("there is a second argument")]).expect("a rule may have one condition")
}
