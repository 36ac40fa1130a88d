"""Goes for the nearest cheese that the opponent does not reach first."""

import heapq

import pyrat


def ways(game, start):
    """Turns to every cell from `start`, and the first move on the way there."""
    turns, first = {start: 0}, {start: "STAY"}
    heap = [(0, start)]
    while heap:
        so_far, at = heapq.heappop(heap)
        if so_far > turns[at]:
            continue
        for move, to, cost in game.exits(at):
            if so_far + cost < turns.get(to, 1e9):
                turns[to] = so_far + cost
                first[to] = move if at == start else first[at]
                heapq.heappush(heap, (turns[to], to))
    return turns, first


def think(game, stopped):
    me = game.players[game.me]
    other = next(player for side, player in game.players.items() if side != game.me)
    if me.mud:
        return "STAY"
    mine, first = ways(game, me.at)
    theirs, _ = ways(game, other.to)
    targets = [cheese for cheese in game.cheese if cheese in mine]
    if not targets:
        return "STAY"

    def cost(cheese):
        lost = mine[cheese] > theirs.get(cheese, 1e9) + other.mud
        return lost, mine[cheese], cheese

    target = min(targets, key=cost)
    client.say(f"info depth 1 score {me.score - other.score} target ({target[0]},{target[1]})")
    return first[target]


client = pyrat.Client("hunter (Python)", think)
client.run()
