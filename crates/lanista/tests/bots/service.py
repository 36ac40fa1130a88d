"""Runs a command as a service may be run: a filter of system calls kills whoever makes namespaces or mounts anything.
`service.py COMMAND…`"""
import ctypes
import os
import platform
import struct
import sys

CALLS = {"x86_64": {"mount": 165, "unshare": 272}, "aarch64": {"mount": 40, "unshare": 97}}
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
KILL, ALLOW = 0x80000000, 0x7FFF0000

lines = [(LOAD, 0, 0, 0)]
for number in CALLS[platform.machine()].values():
    lines += [(EQUAL, 0, 1, number), (RETURN, 0, 0, KILL)]
lines.append((RETURN, 0, 0, ALLOW))
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
for call in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SECCOMP, FILTER, program, 0, 0)):
    if libc.prctl(*call) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
os.execv(sys.argv[1], sys.argv[1:])
