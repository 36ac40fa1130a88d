"""A hostile gomoku brain: `villain.py MODE WORD`. It plays one move like an honest brain and does its worst when asked for
the second. What came of an attempt it says on its standard error, `what: result`. WORD is in its command line, so that its
processes can be found. Everything it does is bounded: it is harmless even where nothing holds it back."""
import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time

mode, word = sys.argv[1], sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
size, taken, asked, keep = 0, set(), 0, []


def tell(what, result):
    os.write(2, ("%s: %s\n" % (what, result)).encode())


def attempt(what, action):
    """Tries something and says what came of it: `done …` or the name of the error."""
    try:
        tell(what, "done %s" % (action(),))
    except OSError as error:
        tell(what, errno.errorcode.get(error.errno, error.errno))
    except (MemoryError, RuntimeError, ValueError) as error:
        tell(what, type(error).__name__)


def call(number, *args):
    result = libc.syscall(number, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def raw(data):
    while data:
        data = data[os.write(1, data):]


def say(text):
    raw(text.encode() + b"\n")


def forever():
    while True:
        time.sleep(60)


def leave_session():
    """Leaves its process group and session, if it is let."""
    try:
        os.setsid()
    except OSError:
        pass


def spin():
    while True:
        pass


def move():
    """The first free cell, row by row, but never five in a row soon: skips every third."""
    cells = ((x, y) for y in range(size) for x in range(size) if (x + y) % 3 and (x, y) not in taken)
    cell = next(cells)
    taken.add(cell)
    return "%d,%d" % cell


# ---- ways not to answer ----

def stop():
    os.kill(os.getpid(), signal.SIGSTOP)
    forever()


def stop_group():
    os.kill(0, signal.SIGSTOP)
    forever()


def ignore():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    forever()


def half():
    raw(b"7,")
    forever()


def drip():
    while True:
        raw(b"7")
        time.sleep(0.05)


def messages():
    while True:
        raw(b"MESSAGE still thinking\nDEBUG still thinking\n" * 500)


def blank():
    while True:
        raw(b"\n" * 1000)


def carriage_returns():
    while True:
        raw(b"\r" * 1000)


def again():
    """Becomes itself over and over. Its own number counts, so that it ends even if nobody ends it."""
    count = int(os.environ.get("AGAIN", "0"))
    if count < 2000:
        os.execve(sys.executable, [sys.executable, "-S", "-E", __file__, mode, word], dict(os.environ, AGAIN=str(count + 1)))
    forever()


def fork_bomb():
    made, refused = 0, "never"
    for _ in range(300):
        try:
            if os.fork() == 0:
                forever()
            made += 1
        except OSError as error:
            refused = errno.errorcode[error.errno]
            break
    tell("made", made)
    tell("fork", refused)
    forever()


def fork_tree():
    """Every child forks, too; at most 2^7 of them."""
    for _ in range(7):
        try:
            os.fork()
        except OSError:
            pass
    forever()


def thread_bomb():
    made = 0
    threading.stack_size(64 << 10)
    try:
        while made < 300:
            threading.Thread(target=forever, daemon=True).start()
            made += 1
        tell("thread", "never")
    except RuntimeError:
        tell("thread", "refused")
    tell("made", made)
    forever()


def stderr_for_ever():
    while True:
        os.write(2, b"trace\n" * 1000)


def daemon():
    """A grandchild in a session of its own holds the pipe open; the program itself ends."""
    if os.fork() == 0:
        leave_session()
        if os.fork() == 0:
            forever()
        os._exit(0)
    os.wait()
    os._exit(0)


def daemon_answers():
    """The same, but the grandchild goes on playing."""
    if os.fork() == 0:
        leave_session()
        time.sleep(0.05)
        return say(move())
    os._exit(0)


def nameless():
    """A grandchild in a session of its own without an environment, which spins; the program itself ends."""
    if os.fork() == 0:
        leave_session()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, "-S", "-E", "-c", "import time\nwhile True: time.sleep(9)", word], {})
        os._exit(0)
    os.wait()
    os._exit(0)


def impostor():
    """Descendants that wear another mark."""
    for mark in ("1.2-3", os.environ.get("LANISTA_SEAT", "none") + "9", ""):
        if os.fork() == 0:
            leave_session()
            if os.fork() == 0:
                script = "import time\nwhile True: time.sleep(9)"
                os.execve(sys.executable, [sys.executable, "-S", "-E", "-c", script, word], {"LANISTA_SEAT": mark})
            os._exit(0)
        os.wait()
    os._exit(0)


def own_namespace():
    """A descendant that is the first process of a namespace of its own, where that is allowed; the program itself ends."""
    if os.fork() == 0:
        libc.unshare(NEW_USER | NEW_PID)
        leave_session()
        if os.fork() == 0:
            forever()
        os._exit(0)
    os.wait()
    os._exit(0)


def own_namespace_nameless():
    """The same without an environment."""
    if os.fork() == 0:
        libc.unshare(NEW_USER | NEW_PID)
        leave_session()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, "-S", "-E", "-c", "import time\nwhile True: time.sleep(9)", word], {})
        os._exit(0)
    os.wait()
    os._exit(0)


def close_all():
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    forever()


def close_output():
    os.close(1)
    forever()


def balloon():
    kept = []
    while len(kept) < 400:
        kept.append(bytearray(os.urandom(4096) * 256))
    forever()


def brood():
    """Each of eight children takes little."""
    for _ in range(8):
        if os.fork() == 0:
            kept = [bytearray(os.urandom(4096) * 256) for _ in range(48)]
            while kept:
                time.sleep(60)
    forever()


def shared_balloon():
    """Memory that belongs to several, and no single process's heap."""
    kept = []
    while len(kept) < 400:
        pages = mmap.mmap(-1, 1 << 20)
        pages.write(os.urandom(1 << 20))
        kept.append(pages)
    forever()


def dropped_balloon():
    """Shared memory that it fills and drops from its own sight: it is still there."""
    kept = []
    while len(kept) < 400:
        pages = mmap.mmap(-1, 1 << 20)
        pages.write(os.urandom(1 << 20))
        pages.madvise(mmap.MADV_DONTNEED)
        kept.append(pages)
    forever()


def after_a_kill():
    """Kills itself when the system has ended somebody else for want of memory, as if it had ended this as well."""
    def kills():
        return [line for line in open("/proc/vmstat") if line.startswith("oom_kill ")]
    before, by = kills(), time.monotonic() + 50
    while kills() == before and time.monotonic() < by:
        time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGKILL)


def page_tables():
    """One page of tables for every two megabytes that it merely looks at: some 256 MiB of them."""
    for _ in range(8):
        area = mmap.mmap(-1, 16 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
        area.madvise(15)  # not in huge pages
        for place in range(0, 16 << 30, 2 << 20):
            area[place]
        keep.append(area)
    forever()


def letter_boxes():
    """Sockets that are full of letters nobody reads; each process has a thousand of them."""
    for _ in range(4):
        if os.fork() == 0:
            break
    try:
        while True:
            pair = socket.socketpair()
            keep.append(pair)
            for end in pair:
                end.setblocking(False)
                end.send(bytes(200 << 10))
    except OSError:
        forever()


def hoard():
    """As many processes as it can get, which it keeps while it plays on."""
    try:
        while len(keep) < 300:
            child = os.fork()
            if child == 0:
                forever()
            keep.append(child)
        tell("hoard", "never")
    except OSError as error:
        tell("hoard", errno.errorcode[error.errno])
    tell("hoarded", len(keep))


def removed_files():
    """Files in its folder that it removes and keeps open."""
    for number in range(60):
        path = os.path.join(folder, str(number))
        keep.append(open(path, "wb", 0))
        keep[-1].write(bytes(1 << 20))
        os.remove(path)
    forever()


def removed_maps():
    """The same, closed as well: only its memory still holds them."""
    libc.mmap.restype = ctypes.c_void_p
    for number in range(60):
        path = os.path.join(folder, str(number))
        with open(path, "w+b", 0) as file:
            file.write(bytes(1 << 20))
            libc.mmap(None, ctypes.c_size_t(1 << 20), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0))
        os.remove(path)
    forever()


def hidden_files():
    """The same, by a process that asks not to be looked into."""
    libc.prctl(4, 0, 0, 0, 0)
    removed_files()


def own_descriptors():
    """The same, by a thread that has tried to have descriptors of its own, of which its process would show none."""
    def work():
        libc.syscall(436, 1000, 1000, 2)  # close_range, of a copy
        removed_files()
    threading.Thread(target=work).start()
    forever()


def headless(work):
    """The first thread ends and another one works on: much of what the system shows of a process is the first one's."""
    threading.Thread(target=work).start()
    call({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)


def headless_balloon():
    headless(shared_balloon)


def headless_files():
    headless(removed_files)


def headless_maps():
    headless(removed_maps)


def endless_line():
    while True:
        raw(b"x" * 65536)


def trailing_garbage():
    """The answer, and nearly a line's worth of what is none, without an end."""
    raw(move().encode() + b" " + b"y" * (63 << 10))
    forever()


def yes():
    while True:
        raw(b"7,7\n" * 1000)


# ---- wrong answers ----

ANSWERS = {
    "nul": b"\x007,7\n",
    "nul-inside": b"7\x00,7\n",
    "bad-utf8": b"\xff\xfe7,7\n",
    "bom": b"\xef\xbb\xbf7,7\n",
    "utf16": "7,7\n".encode("utf-16"),
    "spaces": b" " * (1 << 20) + b"7,7\n",
    "huge": b"99999999999999999999,1\n",
    "minus": b"-1,3\n",
    "exponent": b"1e3,2\n",
    "wrap": b"256,259\n",
    "wrap-32": b"4294967296,4294967299\n",
    "hex": b"0x7,7\n",
    "plus": b"+-7,7\n",
    "three": b"7,7,7\n",
    "digits": "٧,٧\n".encode(),
    "ansi": b"\x1b[2J\x1b]0;gotcha\x07\xc2\x9b2J\xe2\x80\xae7,7\n",
    "json": b'{"x":7,"y":7}\n',
    "long-number": b"9" * 60000 + b",1\n",
}


# ---- attempts, after which it plays on ----

NUMBERS = {
    "x86_64": {"ptrace": 101, "unshare": 272, "mount": 165, "umount": 166, "keyctl": 250, "io_uring": 425, "bpf": 321, "setns": 308,
               "chroot": 161, "userfaultfd": 323, "perf": 298, "settime": 227, "settimeofday": 164, "process_vm_readv": 310,
               "process_vm_writev": 311, "ioprio": 251, "pidfd_getfd": 438, "reboot": 169, "module": 175, "handle": 304,
               "shm": 29, "add_key": 248, "fanotify": 300, "swapon": 167, "quota": 179, "acct": 163, "inotify": 294, "tee": 276,
               "shmat": 30, "shmctl": 31, "semget": 64, "semop": 65, "semctl": 66, "semtimedop": 220, "msgget": 68, "msgsnd": 69,
               "msgrcv": 70, "msgctl": 71, "mq_unlink": 241},
    "aarch64": {"ptrace": 117, "unshare": 97, "mount": 40, "umount": 39, "keyctl": 219, "io_uring": 425, "bpf": 280, "setns": 268,
                "chroot": 51, "userfaultfd": 282, "perf": 241, "settime": 112, "settimeofday": 170, "process_vm_readv": 270,
                "process_vm_writev": 271, "ioprio": 30, "pidfd_getfd": 438, "reboot": 142, "module": 105, "handle": 265,
                "shm": 194, "add_key": 217, "fanotify": 262, "swapon": 224, "quota": 60, "acct": 89, "inotify": 26, "tee": 77,
                "shmat": 196, "shmctl": 195, "semget": 190, "semop": 193, "semctl": 191, "semtimedop": 192, "msgget": 186, "msgsnd": 189,
                "msgrcv": 188, "msgctl": 187, "mq_unlink": 181},
}
CLONE = {"x86_64": 56, "aarch64": 220}
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000


def calls():
    for name, number in NUMBERS[os.uname().machine].items():
        # Most are refused before their arguments are looked at; with these nothing would happen.
        first = {"unshare": NEW_USER, "ioprio": 1}.get(name, -1)
        attempt(name, lambda: call(number, first, 0, 0, 0, 0, 0))
    attempt("clone", lambda: call(CLONE[os.uname().machine], NEW_USER | NEW_PID | 17, 0, 0, 0, 0))


def network():
    kinds = [("tcp", socket.AF_INET, socket.SOCK_STREAM), ("udp", socket.AF_INET, socket.SOCK_DGRAM),
             ("tcp6", socket.AF_INET6, socket.SOCK_STREAM), ("unix", socket.AF_UNIX, socket.SOCK_STREAM),
             ("vsock", 40, socket.SOCK_STREAM), ("netlink", 16, socket.SOCK_RAW), ("packet", 17, socket.SOCK_RAW),
             ("alg", 38, socket.SOCK_SEQPACKET), ("raw", socket.AF_INET, socket.SOCK_RAW)]
    for name, family, kind in kinds:
        attempt(name, lambda: socket.socket(family, kind))

    # From one of a pair, datagrams could be sent to any socket of this user that has an address.
    for name, address in (("abstract", "\0" + word), ("path", os.environ["OUTSIDE"] + "/socket")):
        for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
            attempt(name, lambda: socket.socketpair(socket.AF_UNIX, kind)[0].sendto(b"hello", address))
    attempt("stream-pair", lambda: socket.socketpair()[0].send(b"hello"))


def power():
    attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
    attempt("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
    attempt("affinity", lambda: os.sched_setaffinity(0, range(os.cpu_count())))
    # Itself, and whoever started it: without namespaces an ordinary user's bots are the same user as everybody else's.
    for pid in (0, os.getpid(), os.getppid()):
        attempt("idle", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
        attempt("param", lambda: os.sched_setparam(pid, os.sched_param(0)))
        # 48 bytes: size, policy, flags, nice, priority, runtime, deadline, period.
        idle = struct.pack("IIQiIQQQ", 48, 5, 0, 0, 0, 0, 0, 0)
        attempt("attr", lambda: call({"x86_64": 314, "aarch64": 274}[os.uname().machine], pid, idle, 0))
    attempt("core-limit", lambda: max(resource.getrlimit(resource.RLIMIT_CORE)))
    attempt("core", lambda: resource.setrlimit(resource.RLIMIT_CORE, (1, resource.RLIM_INFINITY)))
    attempt("mlockall", lambda: call({"x86_64": 151, "aarch64": 230}[os.uname().machine], 3))
    attempt("setuid", lambda: os.setuid(0))
    attempt("setgroups", lambda: os.setgroups([0]))
    attempt("set-uid", su)


def su():
    """A set-uid program that would run as root if it could."""
    for program in ("/usr/bin/su", "/bin/su", "/usr/bin/passwd", "/usr/bin/mount"):
        if os.path.exists(program) and os.stat(program).st_mode & 0o4000:
            child = os.fork()
            if child == 0:
                os.dup2(os.open("/dev/null", os.O_RDWR), 0)
                for descriptor in (1, 2):
                    os.dup2(0, descriptor)
                os.execv(program, [program, "--version"])
            os.waitpid(child, 0)
            status = dict(line.split(":", 1) for line in open("/proc/self/status"))
            return "no new privileges: " + status["NoNewPrivs"].strip()
    return "there is none"


def processes():
    try:
        return os.listdir("/proc")
    except OSError:
        return []


def kill():
    attempt("kill-all", lambda: os.kill(-1, signal.SIGKILL))
    attempt("kill-parent", lambda: os.kill(os.getppid(), signal.SIGKILL) if os.getppid() > 1 else "nobody")
    attempt("kill-first", lambda: os.kill(1, signal.SIGKILL))
    attempt("stop-first", lambda: os.kill(1, signal.SIGSTOP))
    hit = 0
    for name in processes():
        if name.isdigit() and int(name) not in (os.getpid(), 1):
            try:
                os.kill(int(name), 0)
                hit += 1
            except OSError:
                pass
    tell("reached", hit)


def spy():
    """Reads what is not its own: processes, replays, memory files, the environment of others."""
    for pid in ("1", str(os.getppid())):
        for file in ("mem", "environ", "maps", "root", "cwd", "fd"):
            path = "/proc/%s/%s" % (pid, file)
            attempt(path if pid == "1" else "parent/" + file, lambda: len(os.listdir(path)) if file in ("root", "cwd", "fd") else open(path, "rb").read(64))
    found = []
    for name in processes():
        if name.isdigit() and int(name) != os.getpid():
            try:
                open("/proc/%s/environ" % name, "rb").read()
                found.append(name)
            except OSError:
                pass
    tell("environments", len(found))
    for path in os.environ.get("TARGETS", "").split(":"):
        attempt("target", lambda: os.listdir(path) if os.path.isdir(path) else open(path).read(99))
    attempt("mountinfo", lambda: open("/proc/self/mountinfo").read().count("secret-of-test"))
    tell("secrets", sum("secret-of-test" in value for value in os.environ.values()))
    tell("names", " ".join(sorted(os.environ)))


def litter():
    """Writes where it may not, and a little where it may."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in ("/", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr", "/run", here, os.path.join(here, "..", "..", "..")):
        attempt("write " + ("here" if path == here else path[-20:]), lambda: open(os.path.join(path, word), "w").write(word))
    attempt("own-script", lambda: os.remove(__file__))
    attempt("own-script-write", lambda: open(__file__, "a").write("x"))
    attempt("chmod", lambda: os.chmod(__file__, 0o777))
    attempt("sysctl", lambda: open("/proc/sys/kernel/core_pattern", "w").write("|/bin/false"))
    attempt("oom", lambda: open("/proc/self/oom_score_adj", "w").write("-1000"))


def folder_tricks():
    """Leaves things in its folder that are hard to remove, or lead elsewhere."""
    def trick():
        os.symlink(os.environ["OUTSIDE"], os.path.join(folder, "link"))
        os.symlink("/", os.path.join(folder, "root"))
        os.mkfifo(os.path.join(folder, "pipe"))
        deep = folder
        for name in ("a", "b", "c"):
            deep = os.path.join(deep, name)
            os.mkdir(deep)
            open(os.path.join(deep, "file"), "w").close()
        for name in ("a/b/c", "a/b", "a"):
            os.chmod(os.path.join(folder, name), 0)
        os.chmod(folder, 0)
    attempt("folder", trick)


def deep_folder():
    """Folders in folders, deeper than most programs that remove them go."""
    def dig():
        home = os.getcwd()
        os.chdir(folder)
        for depth in range(1500):
            os.mkdir("d")
            os.chdir("d")
        os.chdir(home)
        return depth + 1
    attempt("depth", dig)


def folder_full():
    def fill():
        for number in range(60):
            with open(os.path.join(folder, str(number)), "wb") as file:
                file.write(bytes(1 << 20))
    attempt("folder", fill)
    # The first process of the cage takes a look every now and then.
    forever()


def folder_files():
    def fill():
        for number in range(4000):
            open(os.path.join(folder, str(number)), "w").close()
    attempt("folder", fill)
    forever()


def disk():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path, written = os.path.join(os.environ.get("TMPDIR", "/tmp"), word), 0
    try:
        with open(path, "wb", 0) as big:
            while written < 100:
                big.write(bytes(1 << 20))
                written += 1
        tell("full", "never")
    except OSError as error:
        tell("full", errno.errorcode[error.errno])
    tell("MiB", written)
    attempt("sparse", lambda: os.truncate(path, 1 << 40))
    attempt("fallocate", lambda: os.posix_fallocate(os.open(path, os.O_RDWR), 0, 1 << 34))


def many_files():
    made, where = 0, os.environ.get("TMPDIR", "/tmp")
    try:
        while made < 20000:
            open(os.path.join(where, "%s-%d" % (word, made)), "w").close()
            made += 1
        tell("files", "never")
    except OSError as error:
        tell("files", errno.errorcode[error.errno])
    tell("made", made)


def descriptors():
    kept = []
    try:
        while len(kept) < 5000:
            kept.append(os.open("/dev/null", os.O_RDONLY))
        tell("descriptors", "never")
    except OSError as error:
        tell("descriptors", errno.errorcode[error.errno])
    for descriptor in kept:
        os.close(descriptor)


def pipes():
    """Pipes take memory of the kernel; it widens its own as far as it gets."""
    for descriptor in (0, 1, 2):
        attempt("widen %d" % descriptor, lambda: fcntl.fcntl(descriptor, 1031, 1 << 20))
    attempt("shrink", lambda: fcntl.fcntl(0, 1031, 4096))
    for flags in (os.O_NONBLOCK, os.O_NONBLOCK | os.O_DIRECT):
        attempt("flags", lambda: fcntl.fcntl(0, fcntl.F_SETFL, flags))
    fcntl.fcntl(0, fcntl.F_SETFL, 0)
    for descriptor, way in ((1, os.O_RDONLY), (2, os.O_RDONLY), (0, os.O_WRONLY)):
        attempt("reopen %d" % descriptor, lambda: os.open("/proc/self/fd/%d" % descriptor, way | os.O_NONBLOCK) and "")


def lock():
    """Leaves signs on files that others may see, or waits for theirs."""
    file, own = os.open(__file__, os.O_RDONLY), os.open(os.path.join(folder, word), os.O_RDWR | os.O_CREAT)
    attempt("lock", lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
    attempt("lease", lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK))
    attempt("notify", lambda: fcntl.fcntl(os.open(os.path.dirname(__file__) or ".", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_CREATE))
    attempt("range", lambda: fcntl.lockf(own, fcntl.LOCK_EX | fcntl.LOCK_NB))


def parcel():
    """Hands a file to itself through a socket, where nobody can see it."""
    left, right = socket.socketpair()
    attempt("parcel", lambda: socket.send_fds(left, [b"x"], [os.open(__file__, os.O_RDONLY)]))


def attributes():
    """Attributes of a file that others own or see: file_setattr."""
    nothing = ctypes.create_string_buffer(24)
    for path in (__file__, os.environ["OUTSIDE"] + "/keep"):
        attempt("attributes", lambda: call(469, -100, path.encode(), nothing, 24, 0))


def signs():
    """Leaves signs on a file that it may only read, for whoever reads that as well."""
    file = os.open(__file__, os.O_RDONLY)

    def flags():
        return struct.unpack("q", fcntl.ioctl(file, 0x80086601, bytes(8)))[0]

    def seen():
        status = os.fstat(file)
        return status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, status.st_ctime_ns
    before = seen()
    attempt("mode", lambda: os.fchmod(file, 0o751))
    attempt("owner", lambda: os.fchown(file, -1, os.getgid()))
    for one in (file, __file__):
        attempt("times", lambda: os.utime(one))
    attempt("note", lambda: os.setxattr(file, "user.note", b"seen"))
    attempt("no note", lambda: os.removexattr(file, "user.note"))
    attempt("flags", lambda: fcntl.ioctl(file, 0x40086602, struct.pack("q", flags() ^ 0x40)))
    tell("signs", "left" if seen() != before else "none")


def into_pipes():
    """Puts pages into a pipe; a byte of each keeps the whole."""
    numbers = {"x86_64": (278, 275), "aarch64": (75, 76)}[os.uname().machine]
    (_, pipe), page, path = os.pipe(), mmap.mmap(-1, 4096), os.path.join(folder, word)
    with open(path, "wb", 0) as file:
        file.write(b"x" * 4096)
    file = os.open(path, os.O_RDONLY)
    piece = struct.pack("PN", ctypes.addressof(ctypes.c_char.from_buffer(page)), 1)
    attempt("vmsplice", lambda: call(numbers[0], pipe, piece, 1, 0))
    attempt("splice", lambda: call(numbers[1], file, None, pipe, None, 1, 0))
    attempt("sendfile", lambda: os.sendfile(pipe, file, 0, 1))
    # Programs that copy a file get by without.
    from shutil import copyfile
    attempt("copy", lambda: os.stat(copyfile(path, path + "-copy")).st_size)


def wake_up():
    """Has somebody send it the signal that lets it go on where it is stopped."""
    def child():
        number = call(CLONE[os.uname().machine], signal.SIGCONT, 0, 0, 0, 0)
        if number == 0:
            os._exit(0)
        return os.waitpid(number, 0x40000000) and ""
    attempt("child", child)
    attempt("parent", lambda: libc.prctl(1, signal.SIGCONT, 0, 0, 0))
    of_parent = ctypes.c_int(-1)
    attempt("of parent", lambda: libc.prctl(2, ctypes.byref(of_parent), 0, 0, 0) or of_parent.value)
    # A clock, its signal and that there is one: 16 numbers in all.
    event, timer = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0), ctypes.c_int()
    attempt("timer", lambda: call({"x86_64": 222, "aarch64": 107}[os.uname().machine], time.CLOCK_MONOTONIC, event, ctypes.byref(timer)))
    attempt("file", lambda: fcntl.fcntl(0, 10, signal.SIGCONT))


def rename():
    attempt("name", lambda: libc.prctl(15, b"lanista", 0, 0, 0))
    attempt("subreaper", lambda: libc.prctl(36, 1, 0, 0, 0))
    attempt("hide", lambda: libc.prctl(4, 0, 0, 0, 0))
    attempt("shown", lambda: libc.prctl(3, 0, 0, 0, 0))
    group, session = os.getpgid(0), os.getsid(0)

    def leave(way):
        child = os.fork()
        if child == 0:
            way()
            os._exit((os.getpgid(0), os.getsid(0)) != (group, session))
        return "gone" if os.waitpid(child, 0)[1] else "still there"
    attempt("session", lambda: leave(os.setsid))
    attempt("group", lambda: leave(lambda: os.setpgid(0, 0)))


def give_away():
    """Makes a child of whoever made this process."""
    def clone():
        child = call(CLONE[os.uname().machine], 0x8000 | signal.SIGCHLD, 0, 0, 0, 0)
        if child == 0:
            os._exit(0)
        return ""
    attempt("give away", clone)


def reserve():
    attempt("reserve", lambda: libc.mmap is not None and mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000) and "")


def trace_sibling():
    child = os.fork()
    if child == 0:
        forever()
    attempt("attach", lambda: call(NUMBERS[os.uname().machine]["ptrace"], 16, child, 0, 0))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


ATTEMPTS = (calls, network, power, kill, spy, litter, folder_tricks, deep_folder, disk, many_files, descriptors, pipes, lock, parcel, attributes, rename, give_away, reserve,
            trace_sibling, hoard, signs, into_pipes, wake_up)


# ---- odd but honest ----

def by_child():
    """A child gives the answer."""
    if os.fork() == 0:
        say(move())
        os._exit(0)
    os.wait()
    move()


def pieces():
    for letter in move() + "\r\n":
        raw(letter.encode())
        time.sleep(0.002)


def padded():
    raw(b" " * 5000 + move().replace(",", " , ").encode() + b" " * 10000 + b"\n")


def many_lines():
    """Everything it has to say in one write: talk, blank lines and the answer among it."""
    raw(b"MESSAGE one\nDEBUG two\n\n\r\n" * 50 + move().encode() + b"\r\nMESSAGE after\n")


def stderr_first():
    os.write(2, b"\x00\xff\x1b[2J binary\n" + b"trace\n" * 400000)
    say(move())


def chatter():
    """Much talk beside its answer, none of it twice the same."""
    for _ in range(400):
        raw(b"MESSAGE " + os.urandom(20000).hex().encode() + b"\n")
    say(move())


def close_stderr():
    os.close(2)
    say(move())


def reopened():
    """Closes its output and opens it again by another name."""
    spare = os.dup(1)
    os.close(1)
    again = os.open("/proc/self/fd/%d" % spare, os.O_WRONLY) if os.access("/proc/self/fd/%d" % spare, os.W_OK) else os.dup(spare)
    os.close(spare)
    os.dup2(again, 1)
    say(move())


def close_input():
    os.close(0)
    say(move())
    forever()


def escapes():
    raw(b"MESSAGE \x1b[2J\x1b]0;gotcha\x07 \xc2\x9b2J \xe2\x80\xae evil\n")
    os.write(2, b"\x1b[2J\x1b]0;gotcha\x07 evil\n")
    say(move())


def helper():
    """A helper in a session of its own that works while others think."""
    if os.fork() == 0:
        leave_session()
        end = time.time() + 60
        while time.time() < end:
            time.sleep(0.001)
        os._exit(0)
    say(move())


def answer_and_exit():
    say(move())
    os._exit(0)


def twice():
    raw((move() + "\n" + move() + "\n").encode())


HONEST = (by_child, chatter, pieces, padded, many_lines, stderr_first, close_stderr, reopened, close_input, escapes, helper, answer_and_exit, twice)


# ---- ends ----

def segfault():
    ctypes.string_at(0)


ENDS = {
    "abort": os.abort,
    "segfault": segfault,
    "exit": lambda: os._exit(0),
    "trace": lambda: {}["this villain is broken"],
    "cpu-signal": lambda: os.kill(os.getpid(), signal.SIGXCPU),
    "file-signal": lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_DFL), os.kill(os.getpid(), signal.SIGXFSZ)),
    "suicide": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "group-suicide": lambda: os.kill(0, signal.SIGKILL),
    "last-words": lambda: (raw(b"7,7"), os._exit(3)),
}

REFUSALS = (stop, stop_group, ignore, half, drip, messages, blank, carriage_returns, again, fork_bomb, fork_tree, thread_bomb,
            stderr_for_ever, daemon, daemon_answers, nameless, impostor, close_all, close_output, balloon, brood, after_a_kill, shared_balloon, dropped_balloon,
            page_tables, letter_boxes, removed_files, removed_maps, hidden_files, own_descriptors, headless_balloon, headless_files, headless_maps,
            endless_line, trailing_garbage, yes, folder_full, folder_files, own_namespace, own_namespace_nameless, spin, forever)

acts = {f.__name__.replace("_", "-"): f for f in REFUSALS + HONEST}
attempts = {f.__name__.replace("_", "-"): f for f in ATTEMPTS}
folder = os.environ.get("TMPDIR", "/tmp")

if mode == "exit-at-once":
    sys.exit(0)
if mode == "again" and "AGAIN" in os.environ:
    again()
if mode == "hold-stderr":
    # Whoever reads the other end of its standard error does not notice that the host is gone.
    attempt("hold", lambda: os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    if os.fork() == 0:
        leave_session()
        forever()
if mode == "hide":
    # No group, no session, no name, no environment, and nothing of it is open: who knows whose it was?
    if os.fork() == 0:
        leave_session()
        if os.fork() == 0:
            for descriptor in (0, 1, 2):
                os.close(descriptor)
            os.execve(sys.executable, [sys.executable, "-S", "-E", "-c", "import time\nwhile True: time.sleep(9)", word], {})
        os._exit(0)
    os.wait()
if mode == "close-at-once":
    close_all()
if mode == "banner-flood":
    yes()
if mode == "leave-then-play":
    # The program itself is gone before the first line; its child plays in its place.
    if os.fork():
        os._exit(0)

lines = iter(lambda: sys.stdin.buffer.readline(), b"")
for line in lines:
    command, _, rest = line.decode().strip().partition(" ")
    if command == "START":
        size, taken = int(rest), set()
        say("OK\n3,3" if mode == "early" else "OK")
    elif command == "INFO" and rest.startswith("folder "):
        folder = rest[len("folder "):]
    elif command == "ABOUT":
        say('name="villain", version="1"')
    elif command in ("BEGIN", "TURN"):
        asked += 1
        if rest:
            taken.add(tuple(map(int, rest.split(","))))
        if asked != 2:
            say(move())
        elif mode in ANSWERS:
            raw(ANSWERS[mode])
        elif mode in ENDS:
            ENDS[mode]()
        elif mode in acts:
            acts[mode]()
        else:
            if mode in attempts:
                attempts[mode]()
            say(move())
    elif command == "END":
        break
if mode == "stay":
    ignore()
