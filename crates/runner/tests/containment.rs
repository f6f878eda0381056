//! What a process that has become the guest's may do on the host, whatever it is: here it is a shell or an interpreter.

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use airtcp_runner::addresses::REFUSED;
use airtcp_runner::containment::{Files, files};
use command_fds::{CommandFdExt, FdMapping};
use nix::sys::personality::{self, Persona};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use tempfile::TempDir;

/// A working folder and a memory folder, and a file and a folder of the user beside them.
struct Place {
    _root: TempDir,
    work: std::path::PathBuf,
    memory: std::path::PathBuf,
    user: std::path::PathBuf,
}

impl Place {
    fn new() -> Self {
        assert_ne!(files(), Files::Open, "these tests need a machine with Landlock");
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for name in ["work", "memory", "user"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("user/file"), "mine").unwrap();
        Self { work: at("work"), memory: at("memory"), user: at("user"), _root: root }
    }

    /// Runs a program in place of the kernel.
    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let work = OwnedFd::from(File::open(&self.work).unwrap());
        Command::new(env!("CARGO_BIN_EXE_airtcp-runner"))
            .args(["launch", program, "--"])
            .args(arguments)
            .env("TMPDIR", &self.memory)
            .env("USER_FOLDER", &self.user)
            .fd_mappings(vec![FdMapping { parent_fd: work, child_fd: 3 }])
            .unwrap()
            .output()
            .unwrap()
    }

    /// Whether a line of shell succeeded.
    fn shell(&self, line: &str) -> bool {
        self.run("/bin/sh", &["-c", line]).status.success()
    }

    fn python(&self, text: &str) -> String {
        let output = self.run("/usr/bin/env", &["python3", "-c", text]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn assert_user_is_untouched(&self) {
        let names: Vec<_> = fs::read_dir(&self.user).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["file"]);
        assert_eq!(fs::read(self.user.join("file")).unwrap(), b"mine");
    }
}

/// Does something where the system refuses to switch address-space randomisation off, as in a container by default.
fn where_personality_is_refused<T: Send>(before: impl FnOnce() + Send, act: impl FnOnce() -> T + Send) -> T {
    let asks = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        Persona::ADDR_NO_RANDOMIZE.bits().cast_unsigned().into(),
    );
    let rule = SeccompRule::new(vec![asks.unwrap()]).unwrap();
    let calls = [(libc::SYS_personality, vec![rule])].into();
    let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let machine = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, refused, machine).unwrap();
    let filter: BpfProgram = filter.try_into().unwrap();
    // A filter is a thread's, and of what it starts.
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            before();
            seccompiler::apply_filter(&filter).unwrap();
            act()
        });
        thread.join().unwrap()
    })
}

#[test]
fn a_guest_does_not_start_at_addresses_of_chance() {
    let place = Place::new();
    let output = where_personality_is_refused(|| {}, || place.run("/bin/echo", &["started"]));
    let said = String::from_utf8(output.stderr).unwrap();
    if fs::read_to_string("/proc/sys/kernel/randomize_va_space").unwrap().trim() == "0" {
        return assert_eq!(output.stdout, b"started\n");
    }
    assert_eq!((output.status.code(), output.stdout), (Some(126), Vec::new()));
    assert_eq!(said.trim(), format!("airtcp: cannot start /bin/echo: {REFUSED}: Operation not permitted"));
}

#[test]
fn addresses_that_are_fixed_already_need_no_permission() {
    let place = Place::new();
    let fix = || {
        personality::set(Persona::ADDR_NO_RANDOMIZE).unwrap();
    };
    let output = where_personality_is_refused(fix, || place.run("/bin/echo", &["started"]));
    assert_eq!(output.stdout, b"started\n", "{output:?}");
}

#[test]
fn a_guest_writes_its_own_folders() {
    let place = Place::new();
    let own = "echo a > /proc/self/fd/3/file && mkdir /proc/self/fd/3/folder && echo b > $TMPDIR/memory \
               && rm $TMPDIR/memory && mv /proc/self/fd/3/file /proc/self/fd/3/folder/ && echo > /dev/null";
    assert!(place.shell(own));
    assert_eq!(fs::read(place.work.join("folder/file")).unwrap(), b"a\n");
    // It reads the host's files: its programs are there.
    assert!(place.shell("cat $USER_FOLDER/file > /proc/self/fd/3/read"));
}

#[test]
fn a_guest_writes_nothing_else() {
    let place = Place::new();
    for line in [
        "echo theirs > $USER_FOLDER/file",
        "echo theirs >> $USER_FOLDER/file",
        "echo theirs > $USER_FOLDER/new",
        "mkdir $USER_FOLDER/new",
        "rm $USER_FOLDER/file",
        "mv $USER_FOLDER/file /proc/self/fd/3/",
        "ln $USER_FOLDER/file /proc/self/fd/3/hard",
        "ln -s /etc $USER_FOLDER/link",
        "mkfifo $USER_FOLDER/pipe",
        "ln -s $USER_FOLDER /proc/self/fd/3/out && echo theirs > /proc/self/fd/3/out/new",
        "echo theirs > /proc/self/fd/3/../user/file",
        "echo theirs > /tmp/airtcp-of-a-guest",
        "echo theirs > /dev/shm/airtcp-of-a-guest",
        "mknod /proc/self/fd/3/device c 1 3",
    ] {
        assert!(!place.shell(line), "{line}");
        place.assert_user_is_untouched();
    }
    for stray in ["/tmp/airtcp-of-a-guest", "/dev/shm/airtcp-of-a-guest"] {
        assert!(!Path::new(stray).exists());
    }
    if files() == Files::Kept {
        assert!(!place.shell("truncate -s 0 $USER_FOLDER/file"));
        place.assert_user_is_untouched();
    }
}

#[test]
fn a_program_of_the_guest_is_as_restricted() {
    let place = Place::new();
    let script = place.work.join("program");
    fs::write(&script, "#!/bin/sh\necho theirs > $USER_FOLDER/file\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(!place.shell("/proc/self/fd/3/program"));
    place.assert_user_is_untouched();
}

#[test]
fn a_guest_reaches_no_network() {
    let place = Place::new();
    let text = "
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, socket.AF_NETLINK, socket.AF_VSOCK):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(family, kind)
            print(family, kind)
        except OSError:
            pass
";
    assert_eq!(place.python(text), "");
}

#[test]
fn a_guest_reaches_no_service_of_the_machine() {
    let place = Place::new();
    let _listening = std::os::unix::net::UnixListener::bind(place.user.join("service")).unwrap();
    let text = "
import os, socket
path = os.environ['USER_FOLDER'] + '/service'
for name, reach in {
    'connect': lambda: socket.socket(socket.AF_UNIX).connect(path),
    'sendto': lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', path),
    'sendmsg': lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, path),
}.items():
    try:
        reach()
        print(name)
    except OSError:
        pass
";
    assert_eq!(place.python(text), "");
}

#[test]
fn what_a_guest_does_not_need_does_not_exist_for_it() {
    let place = Place::new();
    let refused = [
        ("socket", libc::SYS_socket),
        ("socketpair", libc::SYS_socketpair),
        ("bpf", libc::SYS_bpf),
        ("perf_event_open", libc::SYS_perf_event_open),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("add_key", libc::SYS_add_key),
        ("request_key", libc::SYS_request_key),
        ("keyctl", libc::SYS_keyctl),
        ("shmget", libc::SYS_shmget),
        ("semget", libc::SYS_semget),
        ("msgget", libc::SYS_msgget),
        ("mq_open", libc::SYS_mq_open),
        ("setpriority", libc::SYS_setpriority),
        ("sched_setscheduler", libc::SYS_sched_setscheduler),
        ("process_vm_readv", libc::SYS_process_vm_readv),
        ("process_vm_writev", libc::SYS_process_vm_writev),
        ("mount", libc::SYS_mount),
        ("unshare", libc::SYS_unshare),
        ("setns", libc::SYS_setns),
        ("init_module", libc::SYS_init_module),
        ("chown", libc::SYS_chown),
        ("modify_ldt", libc::SYS_modify_ldt),
        ("ioctl", libc::SYS_ioctl),
        ("a call with 32-bit pointers", libc::SYS_getpid | 0x4000_0000),
        ("a call to come", 9_999),
    ];
    let numbers: Vec<_> = refused.iter().map(|(_, number)| number.to_string()).collect();
    // The first argument chooses what `modify_ldt` does, the second what `ioctl` does: here to write, and to type into a terminal.
    let text = format!(
        "
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
TIOCSTI = 0x5412
for number in ({},):
    returned = libc.syscall(ctypes.c_long(number), 1, TIOCSTI, 0, 0, 0, 0)
    print(returned == -1 and ctypes.get_errno() == errno.ENOSYS)
",
        numbers.join(", ")
    );
    let output = place.python(&text);
    for ((name, _), line) in refused.iter().zip(output.lines()) {
        assert_eq!(line, "True", "{name}");
    }
    assert_eq!(output.lines().count(), refused.len());
}

#[test]
fn a_guest_can_t_look_into_other_processes() {
    let place = Place::new();
    let mut other = Command::new("/bin/sleep").arg("60").spawn().unwrap();
    let text = format!(
        "
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH = 16
print(libc.ptrace(PTRACE_ATTACH, {0}, 0, 0), ctypes.get_errno() == errno.EPERM)
try:
    open('/proc/{0}/mem', 'r+b')
    print('opened')
except PermissionError:
    print('refused')
",
        other.id()
    );
    let output = place.python(&text);
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(output, "-1 True\nrefused");
}
