"""The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.

    def move(state):
        return "UP"

    play(move, name="mybot")

`move` gets a State and returns "UP", "DOWN", "LEFT", "RIGHT" or "STAY". A thread reads while the
bot thinks, so that `isready` and `stop` are heard: a long thought asks `state.stopped()` now and
then. Standard output belongs to the protocol: print to standard error, which is kept in the replay.
"""

from __future__ import annotations

import queue
import re
import sys
import threading
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOVES = ("UP", "DOWN", "LEFT", "RIGHT")
STEPS = {"UP": (0, 1), "DOWN": (0, -1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
FAR = 1_000_000  # turns to a cell that cannot be reached


class Player:
    """Where a player is, and its score."""

    def __init__(self, cell: int) -> None:
        self.cell = cell
        self.target = cell  # while it is in mud: the cell it will arrive at
        self.mud = 0  # turns until then; its moves are ignored meanwhile
        self.score = 0.0


class State:
    """The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left."""

    def __init__(self) -> None:
        self.width = 0
        self.height = 0
        self.cheese: list[int] = []
        self.players = {"rat": Player(0), "python": Player(0)}
        self.role = "rat"  # or "python": who this bot is
        self.turn = 0
        self.time = {"move": FAR}  # in milliseconds: "move", "preprocessing", "postprocessing"
        self.options: dict[str, str] = {}  # what setoption said
        self.stopped: Callable[[], bool] = lambda: False  # whether the thought has to end
        self.costs: dict[tuple[int, str], int] = {}  # turns a move takes; 0: there is a wall

    @property
    def me(self) -> Player:
        return self.players[self.role]

    @property
    def other(self) -> Player:
        return self.players["python" if self.role == "rat" else "rat"]

    def cell(self, x: int, y: int) -> int:
        return y * self.width + x

    def xy(self, cell: int) -> tuple[int, int]:
        return cell % self.width, cell // self.width

    def exits(self, cell: int) -> list[tuple[str, int, int]]:
        """The moves that lead out of a cell: (move, where to, in how many turns)."""
        found = ((move, self.neighbour(cell, move), self.costs[cell, move]) for move in MOVES)
        return [(move, to, turns) for move, to, turns in found if turns]

    def ways(self, start: int) -> tuple[list[int], list[str]]:
        """For every cell: in how many turns it is reached from `start`, and by which first move."""
        turns = [FAR] * (self.width * self.height)
        first = ["STAY"] * len(turns)
        turns[start] = 0
        open_cells = deque([start])
        while open_cells:
            cell = open_cells.popleft()
            for move, to, cost in self.exits(cell):
                if turns[cell] + cost < turns[to]:
                    turns[to] = turns[cell] + cost
                    first[to] = move if cell == start else first[cell]
                    open_cells.append(to)
        return turns, first

    # ---- keeping track ----

    def neighbour(self, cell: int, move: str) -> int:
        dx, dy = STEPS[move]
        return cell + dy * self.width + dx

    def make_maze(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        for cell in range(width * height):
            x, y = self.xy(cell)
            for move, (dx, dy) in STEPS.items():
                self.costs[cell, move] = int(0 <= x + dx < width and 0 <= y + dy < height)

    def set_cost(self, a: int, b: int, turns: int) -> None:
        """Between two cells, in both directions."""
        for cell, to in ((a, b), (b, a)):
            for move in MOVES:
                if self.costs[cell, move] and self.neighbour(cell, move) == to:
                    self.costs[cell, move] = turns

    def advance(self, player: Player, move: str) -> None:
        """One turn of one player: it moves, or struggles on in the mud whatever its move is."""
        if player.mud:
            player.mud -= 1
        elif self.costs.get((player.cell, move)):
            player.target = self.neighbour(player.cell, move)
            player.mud = self.costs[player.cell, move] - 1
        if not player.mud:
            player.cell = player.target

    def step(self, moves: dict[str, str]) -> None:
        """One turn of the game."""
        self.turn += 1
        for role, player in self.players.items():
            self.advance(player, moves.get(role, "STAY"))
        eaters = [p for p in self.players.values() if not p.mud and p.cell in self.cheese]
        shared = len(eaters) == 2 and eaters[0].cell == eaters[1].cell
        for player in eaters:
            player.score += 0.5 if shared else 1.0
        self.cheese = [cell for cell in self.cheese if all(cell != p.cell for p in eaters)]

    def recover_mud(self, history: list[str]) -> None:
        """After a restart: the history of moves tells who is how deep in mud.

        A walk along the history from the right start ends where the player is now. Usually the
        start is the player's corner.
        """
        self.turn = len(history) // 2
        last = self.width * self.height - 1
        for number, (role, corner) in enumerate((("rat", 0), ("python", last))):
            player = self.players[role]
            for start in (corner, *range(last + 1)):
                walker = Player(start)
                for move in history[number::2]:
                    self.advance(walker, move)
                if walker.cell == player.cell:
                    player.target, player.mud = walker.target, walker.mud
                    break


class Client:
    """One conversation with the engine."""

    def __init__(self, move: Callable[[State], str], name: str, options: tuple[str, ...],
                 prepare: Callable[[State], None] | None) -> None:
        self.move, self.name, self.declared, self.prepare = move, name, options, prepare
        self.options: dict[str, str] = {}
        self.history: list[str] = []
        self.begun = False
        self.stop = threading.Event()
        self.late = threading.Event()
        self.output = threading.Lock()
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.new_game()

    def new_game(self) -> None:
        self.state = State()
        self.state.stopped, self.state.options = self.stop.is_set, self.options
        self.history, self.begun = [], False

    def say(self, line: str) -> None:
        with self.output:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def read(self) -> None:
        """Runs on a thread of its own: what cannot wait until the thought is over is done here."""
        for line in sys.stdin:
            line = line.strip()
            word = next(iter(line.split(maxsplit=1)), "")
            if word == "isready":
                self.say("readyok")
            elif word in ("stop", "timeout"):
                if word == "timeout":
                    self.late.set()
                self.stop.set()
            elif word:
                if word in ("go", "startpreprocessing", "startpostprocessing"):
                    self.stop.clear()
                    self.late.clear()
                self.lines.put(line)
        self.stop.set()
        self.lines.put(None)

    def run(self) -> None:
        threading.Thread(target=self.read, daemon=True).start()
        while (line := self.lines.get()) is not None:
            word, *rest = line.split(maxsplit=1)
            self.handle(word, "".join(rest))

    def handle(self, word: str, rest: str) -> None:
        state = self.state
        if word == "pyrat":
            self.say(f"id name {self.name}")
            for option in self.declared:
                self.say(f"option {option}")
            self.say("pyratready")
        elif word == "setoption":
            name, _, value = rest.removeprefix("name ").partition(" value ")
            self.options[name.strip()] = value.strip()
        elif word in ("newgame", "recover"):
            self.new_game()
        elif word == "maze":
            size = pairs(rest)
            state.make_maze(int(size["width"]), int(size["height"]))
        elif word == "walls":
            for a, b in (self.cells(part) for part in rest.split()):
                state.set_cost(a, b, 0)
        elif word == "mud":
            for part in rest.split():
                a, b = self.cells(part)
                state.set_cost(a, b, int(part.rpartition(":")[2]) + 1)
        elif word == "cheese":
            state.cheese = self.cells(rest)
        elif word in ("player1", "player2"):
            player = state.players[rest.split()[0]]
            player.cell = player.target = self.cells(rest)[0]
        elif word == "timecontrol":
            state.time.update((key, int(ms)) for key, ms in pairs(rest).items())
        elif word == "moves_history":
            self.history, self.begun = rest.split(), True
        elif word == "score":
            for role, score in pairs(rest).items():
                state.players[role].score = float(score)
        elif word == "youare":
            state.role = rest
            if self.begun:
                state.recover_mud(self.history)
        elif word == "startpreprocessing":
            if self.prepare:
                self.prepare(state)
            self.say("preprocessingdone")
        elif word == "moves":
            # The first ones come before the first turn.
            if self.begun:
                state.step(pairs(rest))
            self.begun = True
        elif word == "go":
            self.begun = True
            move = self.move(state)
            if move != "STAY" and move not in MOVES:
                raise ValueError(f"move returned {move!r}, which is not a move")
            # After a time-out the engine has played STAY and does not want this move any more.
            if not self.late.is_set():
                self.say(f"move {move}")
        elif word == "ready?":
            self.say("ready")
        elif word == "startpostprocessing":
            self.say("postprocessingdone")
        # `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is not
        # known is ignored.

    def cells(self, text: str) -> list[int]:
        return [self.state.cell(int(x), int(y)) for x, y in re.findall(r"\((\d+),(\d+)\)", text)]


def pairs(text: str) -> dict[str, str]:
    """`rat:UP python:LEFT` as a dictionary."""
    return dict(part.split(":", 1) for part in text.split())


def play(move: Callable[[State], str], name: str = "mybot", options: tuple[str, ...] = (),
         prepare: Callable[[State], None] | None = None) -> None:
    """Answers the engine until it is gone.

    `options` are what can be set in bot.toml: `name Depth type spin default 3 min 1 max 10`.
    `prepare` is called before the first turn, for at most `state.time["preprocessing"]` ms.
    """
    Client(move, name, options, prepare).run()
