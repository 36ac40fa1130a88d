"""Reads the messages of the ants protocol, in both versions, and writes orders."""
import sys
from collections import namedtuple

GRASS, SUGAR, ROCK, MILL, WATER, MEAT = range(6)
FOOD = (SUGAR, MILL, MEAT)

Ant = namedtuple("Ant", "id x y dx dy energy acid brain")
Foreign = namedtuple("Foreign", "x y dx dy brain")


class Message:
    """One message: turn, players, playing, mine, ants, foreign, and cells[x, y] = (content, seen)."""

    def __init__(self, header, read):
        # The header tells the version: five numbers are the published one, four are version 2.
        self.turn, count, self.players, status = header[:4]
        self.playing = status == 1
        if len(header) == 5:
            ids = read()
            rows = [read() for _ in range(count)]
            self.ants = [Ant(index, *row) for index, row in enumerate(rows)]
            self.foreign = []
        else:
            self.ants = [Ant(*read()) for _ in range(count)]
            ids = [ant.id for ant in self.ants if ant.brain == 1]
            self.foreign = [Foreign(*read()) for _ in range(read()[0])]
        self.mine = [ant for ant in self.ants if ant.id in ids and ant.brain == 1]
        self.width, self.height, points = read()
        self.cells = {}
        for _ in range(points):
            x, y, content, seen = read()
            self.cells[x, y] = (content, seen)


def read_numbers():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return [int(word) for word in line.split()]


def play(think):
    """Calls think(message) -> {id: order} every turn until the game is over."""
    while True:
        message = Message(read_numbers(), read_numbers)
        if not message.playing:
            return
        orders = think(message)
        line = ",".join(f"{ant}:{order}" for ant, order in orders.items())
        print(line, flush=True)
