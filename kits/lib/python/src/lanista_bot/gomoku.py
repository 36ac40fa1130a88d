"""The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.

    def move(state):
        return state.free()[0]

    play(move, name="mybot")

`move` gets a State and returns the cell to play, as (x, y). Standard output belongs to the
protocol: print to standard error (`print(..., file=sys.stderr)`), which is kept in the replay.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EMPTY, ME, THEM, FORBIDDEN = 0, 1, 2, 3
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
LEAST, MOST = 5, 32  # sides of a board


class State:
    """The position in which the bot has to move."""

    width: int
    height: int
    cells: list[list[int]]  # cells[y][x] is EMPTY, ME, THEM or FORBIDDEN
    stones: list[tuple[int, int, int]]  # (x, y, who), in the order in which they were played
    info: dict[str, str]  # what INFO said: "timeout_turn", "time_left", "rule" and so on

    def __init__(self, width: int, height: int, info: dict[str, str]) -> None:
        self.width, self.height, self.info = width, height, info
        self.clear()

    def clear(self) -> None:
        self.cells = [[EMPTY] * self.width for _ in range(self.height)]
        self.stones = []

    def inside(self, x: int, y: int) -> bool:
        return 0 <= x < self.width and 0 <= y < self.height

    def is_free(self, x: int, y: int) -> bool:
        return self.inside(x, y) and self.cells[y][x] == EMPTY

    def free(self) -> list[tuple[int, int]]:
        """All cells without a stone, row by row."""
        return [(x, y) for y, row in enumerate(self.cells) for x, who in enumerate(row) if who == EMPTY]

    def row(self, x: int, y: int, who: int) -> int:
        """How many stones in a row `who` would have through this cell by playing there."""
        longest = 0
        for dx, dy in DIRECTIONS:
            count = 1
            for sx, sy in ((dx, dy), (-dx, -dy)):
                i, j = x + sx, y + sy
                while self.inside(i, j) and self.cells[j][i] == who:
                    count, i, j = count + 1, i + sx, j + sy
            longest = max(longest, count)
        return longest

    def time_ms(self) -> int:
        """How long this move may take, in milliseconds."""
        limits = [int(self.info.get(key) or 0) for key in ("timeout_turn", "time_left")]
        return min([limit for limit in limits if limit > 0], default=2_147_483_647)

    def put(self, x: int, y: int, who: int) -> None:
        self.cells[y][x] = who
        self.stones.append((x, y, who))

    def take_back(self, x: int, y: int) -> None:
        self.cells[y][x] = EMPTY
        self.stones = [stone for stone in self.stones if stone[:2] != (x, y)]


def play(move: Callable[[State], tuple[int, int]], name: str = "mybot") -> None:
    """Answers the manager until it says END or is gone."""
    lines = (line.strip() for line in sys.stdin)
    state = State(0, 0, {})
    for line in lines:
        word, _, rest = line.partition(" ")
        word = word.upper()
        if word in ("START", "RECTSTART"):
            size = numbers(rest)
            if len(size) == (1 if word == "START" else 2) and all(LEAST <= side <= MOST for side in size):
                state = State(size[0], size[-1], {})
                say("OK")
            else:
                say(f"ERROR boards have sides of {LEAST} to {MOST}")
        elif word == "RESTART":
            state.clear()
            say("OK")
        elif word == "INFO":
            key, _, value = rest.partition(" ")
            state.info[key.lower()] = value.strip()
        elif word == "BEGIN":
            answer(state, move)
        elif word == "TURN":
            cell = numbers(rest)
            if len(cell) == 2 and state.is_free(cell[0], cell[1]):
                state.put(cell[0], cell[1], THEM)
                answer(state, move)
            else:
                say(f"ERROR not a free cell: {rest}")
        elif word == "BOARD":
            state.clear()
            for stone in until_done(lines):
                if len(stone) == 3 and state.is_free(stone[0], stone[1]):
                    state.put(stone[0], stone[1], stone[2])
            answer(state, move)
        elif word == "SWAP2BOARD":
            state.clear()
            # Whoever answers with one cell takes White: black stones are the other's then.
            for number, stone in enumerate(until_done(lines)):
                if len(stone) >= 2 and state.is_free(stone[0], stone[1]):
                    state.put(stone[0], stone[1], ME if number % 2 else THEM)
            if state.stones:
                answer(state, move)
            else:
                x, y = state.width // 2, state.height // 2
                say(f"{x},{y} {x + 1},{y} {x - 1},{y + 2}")
        elif word == "PLAY":  # comes only after SUGGEST, which this bot never says
            cell = numbers(rest)
            if len(cell) == 2 and state.is_free(cell[0], cell[1]):
                state.put(cell[0], cell[1], ME)
                say(f"{cell[0]},{cell[1]}")
            else:
                say(f"ERROR not a free cell: {rest}")
        elif word == "TAKEBACK":
            cell = numbers(rest)
            if len(cell) == 2 and state.inside(cell[0], cell[1]):
                state.take_back(cell[0], cell[1])
                say("OK")
            else:
                say(f"ERROR not a cell: {rest}")
        elif word == "ABOUT":
            say(f'name="{name}", version="1.0", author="", country=""')
        elif word == "END":
            return
        elif word:
            say(f"UNKNOWN {word}")


def answer(state: State, move: Callable[[State], tuple[int, int]]) -> None:
    if not state.free():
        say("ERROR there is no free cell")
        return
    x, y = move(state)
    if not state.is_free(x, y):
        raise ValueError(f"move returned {(x, y)}, which is not a free cell")
    state.put(x, y, ME)
    say(f"{x},{y}")


def until_done(lines: Iterator[str]) -> Iterator[list[int]]:
    """The lines of a position as lists of numbers."""
    for line in lines:
        if line.upper() == "DONE":
            return
        yield numbers(line)


def numbers(text: str) -> list[int]:
    """The numbers of "7,8" or "15"; nothing if it is something else."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        return []


def say(line: str) -> None:
    # In one piece; without a flush it would stay in this process.
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
