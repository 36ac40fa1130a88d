"""Gets rid of the dearest card, and keeps wild cards for later."""

from protocol import Move, is_wild, play, points


def move(state):
    """The dearest card that may be played, wild ones last; None draws (or passes)."""
    if not state.playable_cards:
        return None
    card = max(state.playable_cards, key=lambda card: (not is_wild(card), points(card)))
    return Move(card, state.favourite_color())


if __name__ == "__main__":
    play(move)
