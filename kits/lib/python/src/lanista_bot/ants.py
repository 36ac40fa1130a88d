"""The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.

    def move(state):
        return {ant.id: "forward" for ant in state.mine}

    play(move)

`move` gets a State and returns an order for each ant: "forward", "left", "right", "rest" or
"attack@N"; an ant without one rests. Standard output belongs to the protocol: print to standard
error, which is kept in the replay.
"""

from __future__ import annotations

import sys
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN, GRASS, SUGAR, ROCK, MILL, WATER, MEAT = -1, 0, 1, 2, 3, 4, 5
FOOD = (SUGAR, MILL, MEAT)
CONTROLLED, FOREIGN_PROGRAM, DEAD = 1, 2, 3  # brains


class Ant:
    """An ant of ours; of a foreign one only place, direction and brain are known."""

    def __init__(self, id: int, x: int, y: int, dx: int, dy: int, energy: int, acid: int, brain: int) -> None:
        self.id, self.x, self.y, self.dx, self.dy = id, x, y, dx, dy
        self.energy, self.acid, self.brain = energy, acid, brain

    def ahead(self) -> tuple[int, int]:
        """The cell in front of it."""
        return self.x + self.dx, self.y + self.dy


class State:
    """What the colony knows. (0, 0) is at the top left, y grows downwards."""

    def __init__(self) -> None:
        self.turn = 0
        self.players = 0
        self.playing = True
        self.ants: list[Ant] = []  # of this player, also dead ones and those of its other programs
        self.mine: list[Ant] = []  # living ones that this program commands
        self.foreign: list[Ant] = []  # of other players, in sight; only in version 2 of the protocol
        self.width = 0  # of what is known
        self.height = 0
        self.cells: dict[tuple[int, int], int] = {}  # GRASS, SUGAR, … as last seen
        self.visited: set[tuple[int, int]] = set()  # where our ants have been

    def at(self, x: int, y: int) -> int:
        """What is in a cell; UNKNOWN where nobody has looked."""
        return self.cells.get((x, y), UNKNOWN)

    def is_food(self, x: int, y: int) -> bool:
        return self.at(x, y) in FOOD

    def is_news(self, x: int, y: int) -> bool:
        """Whether an ant there would see something new."""
        around = ((x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
        return (x, y) not in self.visited and any(i >= 0 and j >= 0 and self.at(i, j) == UNKNOWN for i, j in around)

    def is_enemy(self, x: int, y: int) -> bool:
        return any((ant.x, ant.y) == (x, y) for ant in self.foreign)

    def is_taken(self, x: int, y: int) -> bool:
        """Whether a living ant stands there."""
        return self.is_enemy(x, y) or any((ant.x, ant.y) == (x, y) for ant in self.ants if ant.brain != DEAD)

    def nearest(self, ant: Ant, wanted: Callable[[int, int], bool]) -> tuple[int, int, str] | None:
        """The nearest cell for which `wanted(x, y)` holds, and the order that leads there: (x, y, order)."""
        start = (ant.x, ant.y)
        queue, first = deque([start]), {start: start}
        while queue:
            cell = queue.popleft()
            if cell != start and wanted(*cell):
                return (*cell, self.towards(ant, first[cell]))
            for dx, dy in ((ant.dx, ant.dy), (1, 0), (0, 1), (-1, 0), (0, -1)):
                to = (cell[0] + dx, cell[1] + dy)
                blocked = self.at(*to) in (UNKNOWN, ROCK, WATER)
                # Other ants are in the way of the next step only: they move on.
                if to not in first and not blocked and not (cell == start and self.is_taken(*to)):
                    first[to] = to if cell == start else first[cell]
                    queue.append(to)
        return None

    def towards(self, ant: Ant, cell: tuple[int, int]) -> str:
        """The order that brings an ant to a cell beside it."""
        dx, dy = cell[0] - ant.x, cell[1] - ant.y
        if (dx, dy) == (ant.dx, ant.dy):
            return "forward"
        return "left" if (dx, dy) == (ant.dy, -ant.dx) else "right"


def play(move: Callable[[State], dict[int, str]]) -> None:
    """Answers every message until the game is over."""
    state = State()
    while read(state):
        orders = move(state)
        sys.stdout.write(",".join(f"{id}:{order}" for id, order in orders.items()) + "\n")
        sys.stdout.flush()


def read(state: State) -> bool:
    """Reads one message; False if it was the last one, which is not answered."""
    header = numbers()
    if len(header) < 4:
        return False
    state.turn, count, state.players, status = header[:4]
    if len(header) == 5:
        # The published version: the number of our ants is in the header, their ids in a line.
        ids = numbers()
        state.ants = [Ant(id, *numbers()) for id in range(count)]
        state.mine = [ant for ant in state.ants if ant.id in ids and ant.brain == CONTROLLED]
        state.foreign = []
    else:
        # Version 2: every ant has its id, and foreign ants are told.
        state.ants = [Ant(*numbers()) for _ in range(count)]
        state.mine = [ant for ant in state.ants if ant.brain == CONTROLLED]
        state.foreign = [Ant(-1, x, y, dx, dy, 0, 0, brain) for x, y, dx, dy, brain in
                         (numbers() for _ in range(numbers()[0]))]
    state.width, state.height, points = numbers()
    for _ in range(points):
        x, y, content, _seen = numbers()
        state.cells[x, y] = content
    state.visited.update((ant.x, ant.y) for ant in state.ants if ant.brain != DEAD)
    return status == 1


def numbers() -> list[int]:
    """One line; empty at the end of the input."""
    return [int(word) for word in sys.stdin.readline().split()]
