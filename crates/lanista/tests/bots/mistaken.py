"""A small brain with one of the mistakes that authors make: `python3 mistaken.py MISTAKE`."""
import sys

mistake = sys.argv[1]
size, taken = 0, set()


def lines():
    if mistake in ("eof", "prompt"):
        while True:
            yield input("> " if mistake == "prompt" else "").strip()
    for line in open(0, newline="\n"):
        yield line.rstrip("\n") if mistake == "cr" else line.strip()


def say(text):
    if mistake == "mark":
        text = "\ufeff" + text
    sys.stdout.write(text + "\n")
    if mistake != "unflushed":
        sys.stdout.flush()


def move():
    last = size - 1 if mistake == "edge" else size
    free = ((x, y) for y in range(last) for x in range(last) if (x, y) not in taken)
    x, y = next(free, (0, 0))
    taken.add((x, y))
    if mistake == "debug":
        say(f"I play {x} {y}")
    if mistake == "from-one":
        x, y = x + 1, y + 1
    say(f"{x},{y}")


reading = False
for line in lines():
    word, _, rest = line.partition(" ")
    if reading and line != "DONE":
        x, y, _ = line.split(",")
        taken.add((int(x), int(y)))
    elif word == "START":
        if mistake == "second-game" and size:
            raise RuntimeError("another game")
        size, taken = int(rest), set()
        say("OK")
    elif word == "TURN":
        taken.add(tuple(int(part) for part in rest.split(",")))
        move()
    elif word == "BOARD":
        reading, taken = True, set()
    elif word in ("BEGIN", "DONE"):
        reading = False
        move()
    elif word == "END":
        break
    elif word == "ABOUT":
        say('name="mistaken"')
    elif word not in ("", "INFO"):
        say(f"UNKNOWN {word}")
