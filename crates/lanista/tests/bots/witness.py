"""Says what the first process of its cage has done so far, does much that might keep that busy, says it
again, and becomes the program that is named: `witness.py PROGRAM`."""
import os
import sys
import time


def tell():
    # The clock of that process: see clock_getcpuclockid(3).
    used = time.clock_gettime_ns((~1 << 3) | 2)
    switches = [line.split()[1] for line in open("/proc/1/status") if "ctxt_switches" in line]
    times = open("/proc/1/stat").read().split()[9:17]
    said = "first process of %s %d,%s,%s\n" % (os.readlink("/proc/self/ns/ipc"), used, switches, times)
    os.write(2, said.replace(", ", ",").encode())


tell()
# More than half of what it may use, for a while, and orphans.
kept = b"x" * (180 << 20)
for _ in range(20):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
by = time.monotonic() + 0.4
while time.monotonic() < by:
    pass
tell()
os.execv(sys.executable, [sys.executable, sys.argv[1]])
