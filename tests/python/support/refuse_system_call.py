"""`python refuse_system_call.py CALL COMMAND...`: runs a command for which the system refuses one call, as a container's profile does.

`ptrace` is refused whole; of `personality` only what Docker's default profile does not list.
"""

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
# bpf(4) and seccomp(2): load a word of the call's data; jump if equal; return.
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER, FIRST_ARGUMENT = 0, 16
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # EPERM
# x86-64
PTRACE, PERSONALITY = 101, 135
# moby's profiles/seccomp/default.json
PERSONALITIES = (0x0, 0x0008, 0x20000, 0x20008, 0xFFFFFFFF)


def program(call):
    allowed = PERSONALITIES if call == "personality" else ()
    number = PERSONALITY if call == "personality" else PTRACE
    # Jumps count the lines between; the last two are REFUSE and ALLOW.
    lines = [(LOAD, 0, 0, NUMBER), (JUMP_IF_EQUAL, 0, len(allowed) + 2, number), (LOAD, 0, 0, FIRST_ARGUMENT)]
    lines += [(JUMP_IF_EQUAL, len(allowed) - place, 0, value) for place, value in enumerate(allowed)]
    lines += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    return [struct.pack("HBBI", *line) for line in lines]


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_void_p))


def refuse(call):
    libc = ctypes.CDLL(None, use_errno=True)
    lines = program(call)
    text = ctypes.create_string_buffer(b"".join(lines))
    whole = Filter(len(lines), ctypes.addressof(text))
    for words in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(whole)),
    ):
        if libc.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), "no filter of system calls can be set here")


if __name__ == "__main__":
    refuse(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
