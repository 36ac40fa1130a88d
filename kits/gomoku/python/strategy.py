"""Plays where the longest row would be, its own or the opponent's."""

from protocol import ME, THEM, play


def move(state):
    """The best free cell: five of mine, five of theirs, four of mine, … and then near the middle."""

    def value(cell):
        x, y = cell
        best = max(2 * state.row(x, y, ME) + 1, 2 * state.row(x, y, THEM))
        return best, -abs(x - state.width // 2) - abs(y - state.height // 2)

    return max(state.free(), key=value)


if __name__ == "__main__":
    play(move, name="mybot")
