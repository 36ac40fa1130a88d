"""A gomoku brain that says which cage it is in and, after some games, kills itself when it is told to leave, so that its cage
cannot be used again: whether the next process finds an old one would be a sign to that."""
import os
import signal
import sys

size, taken, kills = 0, set(), None


def say(text):
    os.write(1, (text + "\n").encode())


def move():
    cells = ((x, y) for y in range(size) for x in range(size) if (x + y) % 3 and (x, y) not in taken)
    cell = next(cells)
    taken.add(cell)
    return "%d,%d" % cell


# Numbers of namespaces come again; since when its first process has been there does not.
began = open("/proc/1/stat").read().rsplit(") ", 1)[1].split()[19]
os.write(2, ("cage %s %s\n" % (os.readlink("/proc/self/ns/ipc"), began)).encode())
for line in iter(sys.stdin.readline, ""):
    command, _, rest = line.strip().partition(" ")
    if command == "START":
        size = int(rest)
        say("OK")
    elif command == "ABOUT":
        say('name="spoiler", version="1"')
    elif command in ("BEGIN", "TURN"):
        if rest:
            cell = tuple(map(int, rest.split(",")))
            taken.add(cell)
            if kills is None:
                # As good as chance.
                kills = sum(cell) % 2 == 0
                os.write(2, b"kills itself\n" if kills else b"leaves\n")
        say(move())
    elif command == "END":
        if kills:
            os.kill(os.getpid(), signal.SIGKILL)
        break
