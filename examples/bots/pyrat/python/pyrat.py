"""A PyRat client: speaks the protocol, tracks the game, lets a bot think.

One thread reads, so that `isready` and `stop` are heeded while the bot thinks on another. A bot
is a function that gets a Game and a `stopped()` to ask now and then.
"""

import queue
import re
import sys
import threading

STEP = {"UP": (0, 1), "DOWN": (0, -1), "LEFT": (-1, 0), "RIGHT": (1, 0), "STAY": (0, 0)}


class Player:
    def __init__(self, at):
        self.at, self.to, self.mud, self.score = at, at, 0, 0.0

    def step(self, game, move):
        """Moves, or struggles on in the mud without regard to the move."""
        if self.mud:
            self.mud -= 1
        else:
            self.to, self.mud = game.exit(self.at, move)
        if not self.mud:
            self.at = self.to


class Game:
    def __init__(self):
        self.width = self.height = 0
        self.walls, self.mud, self.cheese = set(), {}, set()
        self.players = {}
        self.me = self.started = None
        self.time = {}
        self.turn, self.history = 0, []

    def exit(self, at, move):
        """Where a move leads, and through how much mud; a bump leads nowhere."""
        to = (at[0] + STEP[move][0], at[1] + STEP[move][1])
        inside = 0 <= to[0] < self.width and 0 <= to[1] < self.height
        if not inside or (at, to) in self.walls:
            return at, 0
        return to, self.mud.get((at, to), 0)

    def exits(self, at):
        """The moves that lead out of a cell, where to, and in how many turns."""
        for move in ("UP", "DOWN", "LEFT", "RIGHT"):
            to, mud = self.exit(at, move)
            if to != at:
                yield move, to, 1 + mud

    def step(self, moves):
        self.turn += 1
        for side, player in self.players.items():
            player.step(self, moves[side])
        finders = [p for p in self.players.values() if not p.mud and p.at in self.cheese]
        shared = len(finders) == 2 and finders[0].at == finders[1].at
        for player in finders:
            player.score += 0.5 if shared else 1.0
        self.cheese -= {player.at for player in finders}

    def recover_mud(self):
        """The protocol tells where players are but not how deep in mud: the history does.

        Whoever walks the history from the right start ends where the player is now. Usually
        that is the player's corner.
        """
        corners = {"rat": (0, 0), "python": (self.width - 1, self.height - 1)}
        anywhere = [(x, y) for x in range(self.width) for y in range(self.height)]
        for side, player in self.players.items():
            for start in [corners[side]] + anywhere:
                walker = Player(start)
                for moves in self.history:
                    walker.step(self, moves[side])
                if walker.at == player.at:
                    player.to, player.mud = walker.to, walker.mud
                    break


def cells(text):
    return [(int(x), int(y)) for x, y in re.findall(r"\((\d+),(\d+)\)", text)]


def both(text):
    """`rat:UP python:LEFT` as a dictionary."""
    return dict(part.split(":", 1) for part in text.split())


class Client:
    def __init__(self, name, think, options=()):
        """`options` are lines such as `name Depth type spin default 3 min 1 max 10`."""
        self.name, self.think, self.declared = name, think, options
        self.options = {}
        self.game = Game()
        self.work = queue.Queue()
        self.stop = threading.Event()
        self.lock = threading.Lock()

    def say(self, line):
        with self.lock:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def run(self):
        threading.Thread(target=self.read, daemon=True).start()
        while (job := self.work.get()) is not None:
            job()

    def read(self):
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word == "isready":
                self.say("readyok")
            elif word in ("stop", "timeout"):
                self.stop.set()
            else:
                if word == "go":
                    self.stop.clear()
                # In order, and by the thread that thinks: it owns the game. `ready?` as well,
                # so that a move which comes too late is said before `ready` and not after.
                self.work.put(lambda word=word, rest=rest: self.handle(word, rest))
        self.stop.set()
        self.work.put(None)

    def handle(self, word, rest):
        game = self.game
        if word == "pyrat":
            self.say(f"id name {self.name}")
            for option in self.declared:
                self.say(f"option {option}")
            self.say("pyratready")
        elif word == "setoption":
            name, _, value = rest.removeprefix("name ").partition(" value ")
            self.options[name] = value
        elif word in ("newgame", "recover"):
            self.game = Game()
        elif word == "maze":
            size = both(rest)
            game.width, game.height = int(size["width"]), int(size["height"])
        elif word == "walls":
            ends = cells(rest)
            for a, b in zip(ends[::2], ends[1::2]):
                game.walls |= {(a, b), (b, a)}
        elif word == "mud":
            for part in rest.split():
                (a, b), turns = cells(part), int(part.rpartition(":")[2])
                game.mud[a, b] = game.mud[b, a] = turns
        elif word == "cheese":
            game.cheese = set(cells(rest))
        elif word in ("player1", "player2"):
            old = game.players.get(rest.split()[0])
            player = game.players[rest.split()[0]] = Player(cells(rest)[0])
            player.score = old.score if old else 0.0
        elif word == "timecontrol":
            game.time = {name: int(ms) for name, ms in both(rest).items()}
        elif word == "moves_history":
            moves = rest.split()
            game.history = [{"rat": r, "python": p} for r, p in zip(moves[::2], moves[1::2])]
        elif word == "score":
            for side, score in both(rest).items():
                game.players[side] = Player((0, 0))
                game.players[side].score = float(score)
        elif word == "youare":
            game.me = rest
            if game.history:
                game.recover_mud()
                game.turn, game.started = len(game.history), True
        elif word == "moves":
            # The first one comes before the first turn and is none.
            if game.started:
                game.step(both(rest))
            game.started = True
        elif word == "ready?":
            self.say("ready")
        elif word == "go":
            self.say("move " + self.think(game, self.stop.is_set))
        elif word == "startpreprocessing":
            self.say("preprocessingdone")
        elif word == "gameover":
            self.over(rest)
        elif word == "startpostprocessing":
            self.say("postprocessingdone")

    def over(self, result):
        """Checks that we saw the same game as the engine."""
        score = [float(part) for part in both(result)["score"].split("-")]
        mine = [self.game.players[side].score for side in ("rat", "python")]
        if score != mine:
            sys.exit(f"out of step: the engine says {score}, I counted {mine}")
