"""A gomoku brain that tries something first: `prisoner.py ACT [ARGUMENT]`. It says on its standard
error, a line for each attempt, what came of it, and then plays as if nothing had happened."""
import ctypes
import errno
import os
import resource
import signal
import socket
import sys
import time

# The system notes the times of files by a clock that may be a few milliseconds behind.
BEGAN = time.time_ns() - 20_000_000

act, argument = sys.argv[1], (sys.argv[2:] + [""])[0]
libc = ctypes.CDLL(None, use_errno=True)


def tell(what, result):
    os.write(2, ("%s: %s\n" % (what, result)).encode())


def attempt(what, action):
    try:
        tell(what, "done %s" % (action(),))
    except OSError as error:
        tell(what, errno.errorcode.get(error.errno, error.errno))


def call(number, *args):
    result = libc.syscall(number, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def network():
    for name in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_VSOCK", "AF_NETLINK", "AF_PACKET"):
        attempt(name, lambda: socket.socket(getattr(socket, name), socket.SOCK_RAW if name in ("AF_NETLINK", "AF_PACKET") else socket.SOCK_STREAM))
    attempt("pair", lambda: len(socket.socketpair()))


def calls():
    numbers = {"ptrace": 101, "unshare": 272, "mount": 165, "keyctl": 250, "io_uring": 425, "bpf": 321,
               "setns": 308, "chroot": 161, "userfaultfd": 323, "perf": 298, "settime": 227}
    if os.uname().machine == "aarch64":
        numbers = {"ptrace": 117, "unshare": 97, "mount": 40, "keyctl": 219, "io_uring": 425, "bpf": 280,
                   "setns": 268, "chroot": 51, "userfaultfd": 282, "perf": 241, "settime": 112}
    for name, number in numbers.items():
        attempt(name, lambda: call(number, 0x10000000 if name == "unshare" else 0, 0, 0, 0, 0))
    one, other = socket.socketpair()
    for name, action in (("bind", lambda: one.bind("\0name")), ("listen", other.listen), ("accept", other.accept),
                         ("connect", lambda: other.connect("\0name"))):
        attempt(name, action)
    attempt("cookie", lambda: one.getsockopt(socket.SOL_SOCKET, 57))
    attempt("interfaces", lambda: __import__("fcntl").ioctl(one, 0x8912, bytes(16)))
    attempt("lifetime hint", lambda: __import__("fcntl").fcntl(0, 1036, bytes(8)))
    aio, landlock = (0 if os.uname().machine == "aarch64" else 206), 444
    contexts = ctypes.c_ulong(0)
    attempt("aio", lambda: call(aio, 1, ctypes.byref(contexts)))
    attempt("landlock", lambda: call(landlock, 0, 0, 1))
    attempt("device times", lambda: os.utime("/dev/null"))
    attempt("affinity", lambda: os.sched_setaffinity(0, range(os.cpu_count())))
    attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
    attempt("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
    attempt("root", lambda: os.setuid(0))


def files():
    for path in argument.split(":"):
        attempt("read " + path, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read(9))
    for path in ("/x", "/usr/x", "/etc/x", os.path.join(os.path.dirname(os.path.abspath(__file__)), "x")):
        attempt("write " + path, lambda: open(path, "w"))


def status():
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd", "NoNewPrivs", "Seccomp"):
        tell(name, int(lines[name].strip(), 16))
    tell("core", resource.getrlimit(resource.RLIMIT_CORE)[1])
    tell("fds", sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:4])
    tell("env", " ".join(sorted(os.environ)))
    tell("uid", "root" if os.getuid() == 0 else "no root")


def processes():
    tell("processes", len([name for name in os.listdir("/proc") if name.isdigit()]))
    attempt("memory of the first", lambda: open("/proc/1/mem", "r+b").read(1))
    attempt("environment of the first", lambda: open("/proc/1/environ").read())


def kill():
    attempt("kill the first", lambda: os.kill(1, 9))
    # Whether there is nobody to be found or nobody may be hit depends on the tier.
    attempt("kill all", lambda: os.kill(-1, 9))


def fork():
    made = 0
    try:
        while made < 1000:
            if os.fork() == 0:
                while True:
                    import time
                    time.sleep(60)
            made += 1
    except OSError as error:
        tell("fork", errno.errorcode[error.errno])
    tell("made", made)


def disk():
    folder = os.environ.get("TMPDIR", "/tmp")
    with open(folder + "/big", "wb") as big:
        written = 0
        try:
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            while written < 4096:
                big.write(bytes(1 << 20))
                big.flush()
                written += 1
        except OSError as error:
            tell("full", errno.errorcode[error.errno])
        tell("MiB", written)


def many_files():
    made = 0
    try:
        while made < 100000:
            open("/tmp/%d" % made, "w").close()
            made += 1
    except OSError as error:
        tell("full", errno.errorcode[error.errno])
    tell("made", made)


def balloon(most=None):
    kept = []
    while most is None or len(kept) < most:
        kept.append(bytearray(os.urandom(4096) * 256))
    return kept


def brood():
    for _ in range(8):
        if os.fork() == 0:
            kept = balloon(60)
            while kept:
                import time
                time.sleep(60)
    while True:
        import time
        time.sleep(60)


def keep():
    path = os.path.join(argument or folder_told[0], "note")
    attempt("kept", lambda: open(path).read())
    attempt("keep", lambda: open(path, "w").write("remember"))


def hoard():
    """Many files, each within the limit."""
    for number in range(40):
        with open(os.path.join(folder_told[0], str(number)), "wb") as file:
            file.write(os.urandom(1 << 20))
    while True:
        import time
        time.sleep(60)


def children():
    """How many it can have. They are gone afterwards."""
    made = []
    try:
        while len(made) < 1000:
            made.append(os.fork())
            if made[-1] == 0:
                while True:
                    signal.pause()
    except OSError as error:
        why = errno.errorcode[error.errno]
    for child in made:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return why, len(made)


def look():
    """Says what can be seen of whoever was here before, and then leaves what it can."""
    def text(path):
        return open(path).read().strip().replace("\n", " | ")

    def mounts():
        fields = [line.split() for line in open("/proc/self/mountinfo")]
        return sorted(" ".join([field[4], field[5]] + field[6:]) for field in fields)

    # The system makes what is in /proc when somebody looks at it first.
    attempt("looked at before", lambda: os.stat("/proc/sys/kernel/ostype").st_ctime_ns < BEGAN)
    for folder in ("/proc", "/proc/sys/kernel"):
        attempt("listed before: " + folder, lambda: os.stat(folder).st_atime_ns > os.stat(folder).st_ctime_ns)
    # Nobody owns these here, and everybody may set their times to now.
    for path in TIMED:
        attempt("touched before: " + path, lambda: os.stat("/proc").st_mtime_ns + LATER // 2 < os.lstat(path).st_mtime_ns < BEGAN)
    attempt("number", os.getpid)
    attempt("last number", lambda: text("/proc/loadavg").split()[-1])
    attempt("seen", lambda: sorted(name for name in os.listdir("/proc") if name.isdigit()))
    for folder in ("/", "/tmp", "/dev", "/dev/shm", "/.stage", "/.empty"):
        attempt("names in " + folder, lambda: sorted(os.listdir(folder)))
    attempt("first file", lambda: os.stat(open("/tmp/first", "w").name).st_ino)
    attempt("no file", lambda: os.unlink("/tmp/first"))
    attempt("others", lambda: os.kill(-1, 0))
    attempt("session", lambda: (os.getsid(0), os.getpgrp(), os.getppid()))
    attempt("open", lambda: sorted(os.listdir("/proc/self/fd")))
    attempt("waited for by the first", lambda: text("/proc/1/stat").split()[15:17])
    attempt("sockets", lambda: len(open("/proc/net/unix").readlines()) - 1)
    attempt("sockets used", lambda: text("/proc/net/sockstat").split("|")[0])
    for name in ("shm", "sem", "msg"):
        attempt("ipc " + name, lambda: text("/proc/sysvipc/" + name))
    attempt("host name", lambda: os.uname().nodename)
    attempt("mounts", mounts)
    attempt("group", lambda: text("/proc/self/cgroup"))
    attempt("keys", lambda: len(open("/proc/keys").readlines()))
    attempt("limits", lambda: text("/proc/self/limits"))
    for name in ("uid_map", "gid_map", "setgroups"):
        # Who it is outside is another one for each bot.
        attempt("users by " + name, lambda: text("/proc/self/" + name).split()[::2])
    attempt("user", lambda: (os.getresuid(), os.getresgid(), os.getgroups()))
    rights = ("Cap", "NoNewPrivs", "Seccomp")
    attempt("rights", lambda: [line for line in open("/proc/self/status") if line.startswith(rights)])
    attempt("room for processes", children)
    for _ in range(5):
        if os.fork() == 0:
            os._exit(0)
        os.wait()
    # One that stays, and one whose parent has gone and that has tried to leave.
    for parents in (0, 1):
        if os.fork() == 0:
            os.setsid()
            if parents and os.fork() != 0:
                os._exit(0)
            time.sleep(600)
            os._exit(0)
    attempt("left a look", lambda: len(os.listdir("/proc/sys/kernel")) > 0)
    left["pairs"] = [socket.socketpair() for _ in range(10)]
    tell("left pairs", len(open("/proc/net/unix").readlines()) - 1)
    for folder in ("/", "/tmp", "/dev", "/dev/shm", "/.stage", "/.empty"):
        attempt("left in " + folder, lambda: open(folder + "/left", "w").write("x"))
    attempt("left a lock", lambda: __import__("fcntl").lockf(open("/etc/passwd"), 1))
    for name, call in (("shm", libc.shmget), ("sem", libc.semget), ("msg", libc.msgget)):
        attempt("left " + name, lambda: refused(call(7, 4096 if name == "shm" else 1, 0o1666)))
    attempt("left a name", lambda: socket.sethostname("left"))
    left["memory"] = balloon(60)
    # Later than anything that the system notes by itself.
    time.sleep(max(0, os.stat("/proc").st_mtime_ns + LATER - time.time_ns()) / 1e9)
    for path in TIMED:
        attempt("left a time on " + path, lambda: os.utime(path, follow_symlinks=False))


left = {}
TIMED, LATER = ("/proc/self", "/proc/thread-self", "/proc/sys/kernel/ns_last_pid"), 400_000_000


def refused(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


acts = {f.__name__: f for f in (network, calls, files, status, processes, kill, fork, disk, many_files, balloon, brood, look)}
if act in acts:
    acts[act]()

folder_told, told, size, taken = [""], False, 0, set()
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "INFO" and rest.startswith("folder "):
        folder_told[0] = rest[len("folder "):]
    elif word == "START":
        size, taken = int(rest), set()
        print("OK", flush=True)
    elif word in ("BEGIN", "TURN"):
        if rest:
            taken.add(tuple(map(int, rest.split(","))))
        if act == "hoard":
            hoard()
        if act == "keep" and not told:
            keep()
            told = True
        if act == "exit" or act == "balloon_once" and os.path.exists(folder_told[0] + "/once"):
            os._exit(int(argument))
        if act == "balloon_once":
            open(folder_told[0] + "/once", "w").close()
            balloon()
        if act == "signal":
            os.kill(os.getpid(), int(argument))
        cell = next((x, y) for y in range(size) for x in range(size) if (x + y) % 3 and (x, y) not in taken)
        taken.add(cell)
        print("%d,%d" % cell, flush=True)
    elif word == "END":
        break
    elif word not in ("INFO", "DONE"):
        print("UNKNOWN " + word, flush=True)
