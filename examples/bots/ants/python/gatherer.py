#!/usr/bin/env python3
"""Sends each ant to the nearest food that no other ant is after, or to where it sees something new."""
from ants import FOOD, ROCK, WATER, play

SIDE = 1000  # no map is larger
WAYS = [(1, 0), (0, 1), (-1, 0), (0, -1)]  # each is to the right of the one before


def key(x, y):
    """A cell as a number. Large maps have hundreds of thousands of places to be in."""
    return y * SIDE + x


def errand(ant, grass, taken, food, is_new):
    """The first order on the way to food, else to something new, nearest first: (cell, order), or None."""
    start = 4 * key(ant.x, ant.y) + WAYS.index((ant.dx, ant.dy))
    queue, orders = [start], {start: None}
    explore = None
    for place in queue:  # a place is a cell and a way to look
        cell, way, first = place >> 2, place & 3, orders[place]
        if first and cell in food:
            return cell, first
        if first and explore is None and is_new(cell):
            explore = cell, first
            if not food:
                break
        dx, dy = WAYS[way]
        ahead = cell + key(dx, dy)
        steps = [(4 * cell + (way + 3) % 4, "left"), (4 * cell + (way + 1) % 4, "right")]
        # Other ants are in the way of the next step only: they move on.
        if ahead in grass and (first or ahead not in taken):
            steps.insert(0, (4 * ahead + way, "forward"))
        for to, order in steps:
            if to not in orders:
                orders[to] = first or order
                queue.append(to)
    return explore


visited = set()  # what lies round these cells has been seen: a blank there is the edge


def think(message):
    orders, goals = {}, set()
    ants = {key(ant.x, ant.y) for ant in message.ants if ant.brain != 3}
    enemies = {key(ant.x, ant.y) for ant in message.foreign}
    visited.update(ants)
    grass = {key(*cell) for cell, (content, _) in message.cells.items() if content not in (ROCK, WATER)}
    food = {key(*cell) for cell, (content, _) in message.cells.items() if content in FOOD}

    def is_new(cell):
        """Whether somebody in this cell would see one that nobody has seen."""
        y, x = divmod(cell, SIDE)
        return cell not in goals and cell not in visited and any(
            (x + i, y + j) not in message.cells
            for i in (-1, 0, 1) for j in (-1, 0, 1) if x + i >= 0 and y + j >= 0)

    for ant in message.mine:
        if key(ant.x + ant.dx, ant.y + ant.dy) in enemies and ant.acid > 0:
            orders[ant.id] = f"attack@{min(ant.acid, 1000)}"
            continue
        found = errand(ant, grass, ants | enemies, food - goals, is_new)
        if found:  # an ant that is not named rests
            goals.add(found[0])
            orders[ant.id] = found[1]
    return orders


if __name__ == "__main__":
    play(think)
