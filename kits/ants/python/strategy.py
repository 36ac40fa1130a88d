"""Sends every ant to the nearest food, or to where it sees something new."""

from protocol import play


def move(state):
    """An order for each ant; two ants never go for the same cell."""
    orders, goals = {}, set()
    for ant in state.mine:
        if state.is_enemy(*ant.ahead()) and ant.acid > 0:
            orders[ant.id] = f"attack@{ant.acid}"
            continue
        found = state.nearest(ant, lambda x, y: state.is_food(x, y) and (x, y) not in goals)
        if found is None:
            found = state.nearest(ant, lambda x, y: state.is_news(x, y) and (x, y) not in goals)
        if found is not None:
            x, y, orders[ant.id] = found
            goals.add((x, y))
    return orders


if __name__ == "__main__":
    play(move)
