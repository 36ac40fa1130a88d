"""Gomoku brains that want the processor: `burner.py MODE [WORD]`.

`victim` does the same piece of work for every move and says how long it took. The others answer at once, and their processes
compute on while the victim is on move; they say how much processor time they had meanwhile. `spin-8` computes in 8 processes,
`sessions-55` in 55 that try to have a session each, `threads-8` in threads, `churn` in processes that are born and die all the
time, `timers-8` in 8 that have a timer send them a signal to go on whenever they are stopped, `idle` in none. `flood` writes a
megabyte of blank lines while the victim is on move, and `chatter` little."""
import ctypes
import mmap
import os
import select
import signal
import struct
import sys
import threading
import time

mode = sys.argv[1]
kind, _, number = mode.partition("-")
number = int(number or "1")
size, taken, moves = 0, set(), 0
# Microseconds of processor time while it was not on move, a slot for every process, and whether it is on move; seen by all.
SLOTS, ON_MOVE = 64, 8 * 64
used = mmap.mmap(-1, 8 * 65)


def say(text):
    os.write(1, (text + "\n").encode())


def move():
    """The first free cell, row by row, but never five in a row soon: skips every third."""
    cells = ((x, y) for y in range(size) for x in range(size) if (x + y) % 3 and (x, y) not in taken)
    cell = next(cells)
    taken.add(cell)
    return "%d,%d" % cell


def work(steps=250000):
    x = 1
    for _ in range(steps):
        x = x * 31 & 0xFFFFFFFF
    return x


def leave_session():
    try:
        os.setsid()
    except OSError:
        pass


def resting():
    """Whether it is not on move: no question is there, and none has been taken."""
    return not used[ON_MOVE] and not select.select([0], [], [], 0)[0]


def count(slot, microseconds):
    # In one piece: it may be stopped at any moment.
    used[8 * slot : 8 * slot + 8] = struct.pack("q", counted(slot) + microseconds)


def counted(slot):
    return struct.unpack_from("q", used, 8 * slot)[0]


def spin(slot):
    """Computes while the other one is on move, and counts that."""
    clock = time.thread_time if kind == "threads" else time.process_time
    wake = self_waking() if kind == "timers" else lambda: None
    while True:
        wake()
        before = clock()
        work(2000)
        if resting():
            count(slot, int((clock() - before) * 1e6))
        else:
            time.sleep(0.001)


def self_waking():
    """Has timers send this process signals that let it go on, if it may. What is returned sets them anew: a signal that was
    under way when it was stopped is lost, and the timer with it."""
    signal.signal(signal.SIGCONT, lambda *_: None)
    # The signal and that there is one; 16 numbers in all.
    libc, event, timer = ctypes.CDLL(None), (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0), ctypes.c_void_p()
    if libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer)) != 0:
        return lambda: None
    every = (ctypes.c_long * 4)(0, 500000, 0, 500000)
    return lambda: libc.timer_settime(timer, 0, every, None)


def churn(slot):
    """Nobody waits for those that are born: the system buries them."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        try:
            if os.fork() == 0:
                leave_session()
                work(2000)
                if resting():
                    count(slot, int(time.process_time() * 1e6))
                os._exit(0)
        except OSError:
            work(2000)
        if not resting():
            time.sleep(0.001)


def begin():
    for slot in range(number):
        if kind == "threads":
            threading.Thread(target=spin, args=(slot,), daemon=True).start()
        elif kind in ("spin", "sessions", "timers", "churn") and os.fork() == 0:
            if kind not in ("spin", "timers"):
                leave_session()
            (churn if kind == "churn" else spin)(slot)


for line in iter(sys.stdin.readline, ""):
    used[ON_MOVE] = 1
    command, _, rest = line.strip().partition(" ")
    if command == "START":
        size, taken = int(rest), set()
        say("OK")
    elif command == "RESTART":
        taken = set()
        say("OK")
    elif command in ("BEGIN", "TURN"):
        moves += 1
        if rest:
            taken.add(tuple(map(int, rest.split(","))))
        if moves == 1:
            begin()
        if kind == "victim":
            began = time.perf_counter()
            # Long beside the moment that it takes to stop the others.
            work(1000000)
            say("MESSAGE took %d us" % ((time.perf_counter() - began) * 1e6))
        else:
            say("MESSAGE had %d us" % sum(counted(slot) for slot in range(SLOTS)))
        answer = move()
        used[ON_MOVE] = 0
        say(answer)
        if kind == "flood" and moves >= 2:
            # When the victim is on move for sure; at once as much as a pipe holds, then the rest.
            time.sleep(0.004)
            os.write(1, b"\n" * (63 << 10))
            os.write(1, b"\n" * (1 << 20))
        if kind == "chatter":
            os.write(1, b"DEBUG I think about it\n" * 20)
    elif command == "END":
        break
