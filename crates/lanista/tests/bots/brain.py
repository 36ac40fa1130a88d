"""A gomoku brain that misbehaves on request: `python3 brain.py MODE`."""
import os
import signal
import subprocess
import sys
import threading
import time

mode = sys.argv[1] if len(sys.argv) > 1 else "good"
size, taken = 0, set()
# An honest bot that needs some memory: the largest one in sight.
needs = bytearray(os.urandom(4096) * 12000) if mode == "stout" else b""


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def raw(data):
    os.write(1, data)


def forever():
    while True:
        time.sleep(60)


def work():
    """Two threads and a process, as many a program needs."""
    threads = [threading.Thread(target=lambda: None) for _ in range(2)]
    for thread in threads:
        thread.start()
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    for thread in threads:
        thread.join()


def move():
    """The first free cell, row by row, but never five in a row soon: skips every third."""
    if mode == "unhurried":
        time.sleep(int(sys.argv[2]) / 1000)
    cells = ((x, y) for y in range(size) for x in range(size) if (x + y) % 3 and (x, y) not in taken)
    cell = next(cells)
    taken.add(cell)
    return "%d,%d" % cell


ANSWERS = {
    "off": "99,99",
    "wrap": "256,259",
    "huge": "99999999999999999999,1",
    "minus": "-1,3",
    "garbage": "what?",
    "error": "ERROR I do not know",
    "liar": "ERROR White forfeits: timeout: adjudicated: draw",
    "float": "1e3,2",
}

if mode == "exit-at-once":
    sys.exit(3)
if mode == "silent":
    forever()
if mode == "banner":
    say("Brain 2000 (c) its author")
if mode == "ignore-signals":
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
if mode == "daemon":
    # A grandchild in a session of its own that outlives its parent.
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            forever()
        os._exit(0)
if mode == "child":
    subprocess.Popen(["sleep", "1000"])

if mode == "ponder":
    # Works all the time, whoever is on move.
    threading.Thread(target=lambda: all(True for _ in iter(int, 1)), daemon=True).start()
answered = 0.0

for line in sys.stdin:
    woken = time.process_time()
    word, _, rest = line.strip().partition(" ")
    if mode == "complain" and word == "INFO":
        say("ERROR unknown key")
    elif word == "START":
        if mode == "small":
            say("ERROR only 19 is supported")
            continue
        size, taken = int(rest), set()
        say("OK")
    elif word == "RESTART" and mode != "no-restart":
        taken = set()
        say("OK")
    elif word == "ABOUT":
        say('name="pbrain-test", version="1", author="nobody", country="XX"')
    elif word in ("BEGIN", "TURN"):
        if rest:
            taken.add(tuple(map(int, rest.split(","))))
        if mode == "busy":
            work()
            say(move())
        elif mode in ANSWERS:
            say(ANSWERS[mode])
        elif mode == "stone":
            say(rest or "0,0")
        elif mode == "twice":
            raw((move() + "\n" + move() + "\n").encode())
        elif mode == "late":
            time.sleep(3)
            say(move())
        elif mode == "halt-host" and not os.path.exists("halted"):
            # Once: the host stands still for longer than this brain has, and the brain answers.
            open("halted", "w").close()
            os.kill(os.getppid(), signal.SIGSTOP)
            time.sleep(1)
            say(move())
            os.kill(os.getppid(), signal.SIGCONT)
        elif mode == "sleepy":
            time.sleep(0.4 if len(taken) < 4 else 0)
            say(move())
        elif mode == "ponder":
            if answered:
                say("MESSAGE pondered %d ms" % ((woken - answered) * 1000))
            answered = time.process_time()
            say(move())
        elif mode == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif mode == "spin":
            while True:
                pass
        elif mode == "spin-in-child":
            if os.fork() == 0:
                while True:
                    pass
            os.wait()
        elif mode == "half":
            raw(b"7,")
            forever()
        elif mode == "drip":
            while True:
                raw(b" ")
                time.sleep(0.05)
        elif mode == "flood":
            while True:
                raw(b"MESSAGE \x1b[2J still thinking\n" * 1000)
        elif mode == "long":
            while True:
                raw(b"x" * 65536)
        elif mode == "stderr-then-move":
            os.write(2, b"trace\n" * 200000)
            say(move())
        elif mode == "stderr-for-ever":
            while True:
                os.write(2, b"trace\n" * 1000)
        elif mode == "trace":
            raise ValueError("this brain is broken")
        elif mode == "abort":
            os.abort()
        elif mode == "answer-and-exit":
            say(move())
            sys.exit(0)
        elif mode == "close-stdout":
            os.close(1)
            forever()
        elif mode == "close-stdin":
            say(move())
            os.close(0)
            forever()
        elif mode == "binary":
            raw(b"\x00\xff\xfe7,7\n")
        elif mode == "pieces":
            for letter in move() + "\r\n":
                raw(letter.encode())
        else:
            say(move())
    elif word == "BOARD":
        taken = set()
        for stone in iter(sys.stdin.readline, ""):
            if stone.strip() == "DONE":
                break
            taken.add(tuple(map(int, stone.split(",")[:2])))
        if mode == "suggest":
            say("MESSAGE depth 3 ev 12")
            say("SUGGEST " + move())
        else:
            say(move())
    elif word == "PLAY":
        say(rest)
    elif word == "TAKEBACK" and mode == "takeback":
        taken.discard(tuple(map(int, rest.split(","))))
        say("OK")
    elif word == "END":
        if mode == "spin-at-end":
            while True:
                pass
        break
    elif word not in ("INFO", "DONE"):
        say("UNKNOWN " + word)

if mode in ("ignore-signals", "spin-at-end", "stay"):
    forever()
