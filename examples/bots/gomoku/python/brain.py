"""The whole protocol in one file: a brain that answers everything a manager may say, the optional
messages and swap2 included (docs/games/gomoku.md). It plays where the longest lines of either colour meet.

It is for reading. A bot to start from is made by `lanista new gomoku`.
"""

import sys

OWN, OTHER = 1, 2
LINES = ((1, 0), (0, 1), (1, 1), (1, -1))


class Board:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.stones = {}  # (x, y): OWN or OTHER

    def free(self, cell):
        x, y = cell
        return 0 <= x < self.width and 0 <= y < self.height and cell not in self.stones

    def run(self, cell, line, who):
        """How many stones of this colour stand beside a cell in a line, and how many of its ends are free."""
        count = ends = 0
        for sign in (1, -1):
            x, y = cell
            while True:
                x, y = x + sign * line[0], y + sign * line[1]
                if self.stones.get((x, y)) != who:
                    break
                count += 1
            ends += self.free((x, y))
        return count, ends

    def worth(self, cell):
        """Long open lines are worth most, our own a little more than the other's."""
        total = 0
        for line in LINES:
            for who, factor in ((OWN, 3), (OTHER, 2)):
                count, ends = self.run(cell, line, who)
                if count >= 4:
                    total += factor * 1_000_000
                elif ends:
                    total += factor * 10 ** count * ends
        return total

    def choose(self):
        """The free cell that is worth most, the one nearest to the middle of equals."""
        middle = (self.width // 2, self.height // 2)
        if not self.stones:
            return middle
        near = {
            (x + dx, y + dy)
            for x, y in self.stones
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if self.free((x + dx, y + dy))
        }
        cells = near or {(x, y) for x in range(self.width) for y in range(self.height) if self.free((x, y))}
        far = lambda cell: max(abs(cell[0] - middle[0]), abs(cell[1] - middle[1]))
        return max(sorted(cells), key=lambda cell: (self.worth(cell), -far(cell)))


def say(text):
    print(text, flush=True)


def cell(text):
    x, y = text.split(",")[:2]
    return int(x), int(y)


def lines_until_done():
    for line in sys.stdin:
        if line.strip().upper() == "DONE":
            return
        yield line.strip()


def move(board):
    at = board.choose()
    board.stones[at] = OWN
    say(f"{at[0]},{at[1]}")


def swap2(board, stones):
    """Three stones, then the colour that has fewer lines to defend: it is enough to take part."""
    if not stones:
        x, y = board.width // 2, board.height // 2
        say(f"{x},{y} {x + 1},{y} {x + 2},{y + 2}")
    elif len(stones) == 3:
        say("SWAP")  # Black has two of three stones.
    else:
        board.stones = {at: OWN if turn % 2 else OTHER for turn, at in enumerate(stones)}
        move(board)  # White, and it is White's turn.


def main():
    board = Board(15, 15)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        word = word.upper()
        if word in ("START", "RECTSTART"):
            size = [int(number) for number in rest.split(",")]
            board = Board(size[0], size[-1])
            say("OK")
        elif word == "RESTART":
            board = Board(board.width, board.height)
            say("OK")
        elif word == "BEGIN":
            move(board)
        elif word == "TURN":
            board.stones[cell(rest)] = OTHER
            move(board)
        elif word == "PLAY":  # the answer to SUGGEST, which this brain never says
            board.stones[cell(rest)] = OWN
            say(rest)
        elif word == "BOARD":
            board.stones = {cell(line): int(line.split(",")[2]) for line in lines_until_done()}
            move(board)
        elif word == "SWAP2BOARD":
            swap2(board, [cell(line) for line in lines_until_done()])
        elif word == "ABOUT":
            say('name="lines-python", version="1.0", author="you", country="XX"')
        elif word == "END":
            return
        elif word and word != "INFO":
            say(f"UNKNOWN {word}")


main()
