#!/usr/bin/env python3
"""Sends each ant to the nearest food that no other ant is after, or to where it sees something new."""
from collections import deque

from ants import FOOD, ROCK, WATER, play


def left(dx, dy):
    return dy, -dx


def right(dx, dy):
    return -dy, dx


def ways(message, ant, taken):
    """Every known cell the ant can get to, nearest first, with the order to give now."""
    start = (ant.x, ant.y, ant.dx, ant.dy)
    queue, seen = deque([(start, None)]), {start}
    while queue:
        (x, y, dx, dy), first = queue.popleft()
        yield (x, y), first
        steps = [("left", (x, y, *left(dx, dy))), ("right", (x, y, *right(dx, dy)))]
        ahead = (x + dx, y + dy)
        content = message.cells.get(ahead, (ROCK, 0))[0]
        # Other ants are in the way of the next step only: they move on.
        if content not in (ROCK, WATER) and (first or ahead not in taken):
            steps.insert(0, ("forward", (*ahead, dx, dy)))
        for order, state in steps:
            if state not in seen:
                seen.add(state)
                queue.append((state, first or order))


def news(message, x, y):
    """Whether somebody in this cell would see one that nobody has seen."""
    return any((x + i, y + j) not in message.cells
               for i in (-1, 0, 1) for j in (-1, 0, 1) if x + i >= 0 and y + j >= 0)


visited = set()  # what lies round these cells has been seen: a blank there is the edge


def think(message):
    orders, goals = {}, set()
    taken = {(ant.x, ant.y) for ant in message.ants if ant.brain != 3}
    enemies = {(ant.x, ant.y) for ant in message.foreign}
    visited.update(taken)
    for ant in message.mine:
        if (ant.x + ant.dx, ant.y + ant.dy) in enemies and ant.acid > 0:
            orders[ant.id] = f"attack@{min(ant.acid, 1000)}"
            continue
        explore = None
        for cell, order in ways(message, ant, taken | enemies):
            if order is None or cell in goals:
                continue
            if message.cells[cell][0] in FOOD:
                break
            if explore is None and cell not in visited and news(message, *cell):
                explore = (cell, order)
        else:
            if explore is None:
                continue  # nothing to do: an ant that is not named rests
            cell, order = explore
        goals.add(cell)
        orders[ant.id] = order
    return orders


if __name__ == "__main__":
    play(think)
