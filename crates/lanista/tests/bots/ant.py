"""A client of the ants protocol with a habit, for tests. Reads numbers in small pieces."""
import os
import sys

habit = sys.argv[1]
words, eof = [], False


def fill():
    """Reads 2,048 bytes at a time, as a known client does."""
    global eof, rest
    piece = os.read(0, 2048)
    if not piece:
        eof = True
        return
    rest += piece
    lines = rest.split(b"\n")
    rest = lines.pop()
    words.extend([int(word) for word in line.split()] for line in lines)


rest = b""


def read():
    while not words and not eof:
        fill()
    if words:
        return words.pop(0)
    if habit == "spin":
        while True:  # a known client never notices the end of its input
            pass
    sys.exit(0)


while True:
    turn, ants, players, status, _ = read()
    ids = read()
    rows = [read() for _ in range(ants)]
    width, height, points = read()
    for _ in range(points):
        read()
    if status == 0:
        continue
    if habit == "crash" and 0 in ids and turn == 3:
        sys.exit(3)
    living = [ant for ant in ids if rows[ant][6] == 1]
    line = {
        "spin": " , ".join(f"{ant} : forward" for ant in living) + " , ",
        "crash": ",".join(f"{ant}:left" for ant in living),
        "meddle": "0:left,1:left,2:left,",
    }[habit]
    print(line, flush=True)
