"""Breeds wherever there is room."""

from protocol import play


def move(state):
    """A child costs 5 energy; whoever has none left at the end of a tick dies."""
    if state.energy > 6 and state.free():
        return "replicate"
    return "rest"


if __name__ == "__main__":
    play(move)
