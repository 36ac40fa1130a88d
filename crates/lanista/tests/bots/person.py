"""A person at a terminal of 80 by 24: starts the program given, and types one of the choices that are on the screen.

Prints what there was to see as one object of JSON when the program has ended.
"""

import fcntl, json, os, pty, random, signal, struct, sys, termios

COLUMNS, ROWS = 80, 24
# Words that the terminal itself understands.
OWN = {"?", "undo", "hint", "resign"}


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def choices(screen):
    """The words that can be typed, from the line that lists them."""
    found = []
    for line in screen:
        for word in line.split(" · "):
            word = word.split(" ")[0].strip()
            if " · " in line and word and word not in OWN:
                found.append(word)
    return found


def main():
    script = dict(pair.split("=", 1) for pair in sys.argv[1].split(";") if pair)
    dice = random.Random(int(script.get("seed", "1")))
    first = script.get("first", "").split("|") if "first" in script else []
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", NO_COLOR="1")
        os.execvp(sys.argv[2], sys.argv[2:])
    # A program that shows nothing more is to fail the test, not to hold it up.
    signal.alarm(300)
    resize(terminal, ROWS, COLUMNS)
    seen, typed, screens, tallest, widest, everything = "", 0, 0, 0, 0, ""
    while True:
        try:
            part = os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:
            part = ""
        if not part:
            break
        seen += part
        everything = (everything + part)[-200000:]
        if not seen.endswith("\n> "):
            continue
        # What is on the screen: all that was written since it was cleared.
        screen = seen.split("\x1b[2J\x1b[3J\x1b[H")[-1].replace("\r", "").split("\n")
        seen = ""
        screens += 1
        tallest = max(tallest, len(screen))
        widest = max(widest, max(len(line) for line in screen))
        if first:
            word = first.pop(0)
        else:
            word = dice.choice(choices(screen) or ["?"])
        if word == "HANGUP":
            os.close(terminal)
            break
        if word == "NARROW":
            resize(terminal, 18, 60)
            tallest, widest = 0, 0
            continue
        if word == "INTERRUPT":
            os.write(terminal, b"\x03")
            continue
        os.write(terminal, word.encode() + b"\n")
        typed += 1
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    text = everything.replace("\r", "")
    result = dict(screens=screens, typed=typed, tallest=tallest, widest=widest, code=code, text=text)
    print(json.dumps(result))


main()
