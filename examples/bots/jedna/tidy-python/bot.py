#!/usr/bin/env python3
"""A small bot for Jedna: plays the dearest card it may, keeps its wild cards for later.

One JSON object a line comes in; only `request_action` is answered. Everything that is
printed for people goes to stderr, never to stdout.
"""

import json
import sys

COLOURS = {"r": "red", "b": "blue", "g": "green", "y": "yellow"}


def worth(card):
    """What the card costs if it is still in the hand at the end."""
    if card[0] == "w":
        return 50
    return int(card[1:]) if card[1:].isdigit() else 20


def best_colour(hand):
    """The colour of most cards in the hand."""
    letters = [card[0] for card in hand if card[0] in COLOURS]
    return COLOURS[max(COLOURS, key=letters.count)]


def choose(state):
    playable = state["playable_cards"]
    if not playable:
        # Exactly one of these two is on offer when nothing can be played.
        return {"action": "draw" if "draw" in state["available_actions"] else "pass"}
    in_danger = any(other["cards"] <= 2 for other in state["other_players"])
    # Wild cards last, unless somebody is about to finish.
    card = max(playable, key=lambda card: (in_danger or card[0] != "w", worth(card)))
    answer = {"action": "play", "card": card}
    # `wd` and `wd4`; some hosts write a wild as `w`.
    if card[0] == "w":
        rest = list(state["hand"])
        rest.remove(card)
        answer["wild_color"] = best_colour(rest)
    return answer


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "request_action":
            print(json.dumps(choose(message["state"])), flush=True)
        elif message["type"] == "error":
            print("the host says:", message["message"], file=sys.stderr)
        elif message["type"] == "game_end":
            break


if __name__ == "__main__":
    main()
