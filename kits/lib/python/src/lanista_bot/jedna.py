"""The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.

    def move(state):
        return Move(state.playable_cards[0]) if state.playable_cards else None

    play(move)

`move` gets a State and returns a Move, or None to draw a card (or to pass, where drawing is not
possible). Standard output belongs to the protocol: print to standard error, which is kept in the
replay.
"""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

COLORS = {"r": "red", "b": "blue", "g": "green", "y": "yellow"}


class Move:
    """A card to play; a wild card also names the color to follow."""

    def __init__(self, card: str, color: str | None = None) -> None:
        self.card, self.color = card, color


class Opponent:
    def __init__(self, player: dict[str, Any]) -> None:
        self.id: str = player.get("id", "")
        self.cards: int = player.get("cards", player.get("card_count", 0))


class State:
    """What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4"."""

    def __init__(self, state: dict[str, Any], notifications: list[str]) -> None:
        self.your_id: str = state.get("your_id", "")
        self.hand: list[str] = state.get("hand", [])
        self.top_card: str = state.get("top_card", "")
        self.top_color: str | None = state.get("top_color")
        self.game_state: str = state.get("game_state", "normal")  # or "war_+2", "war_wd4"
        self.stacked_cards: int = state.get("stacked_cards", 0)  # what passing in a war costs
        self.already_picked: bool = state.get("already_picked", False)
        self.picked_card: str | None = state.get("picked_card")
        self.other_players = [Opponent(player) for player in state.get("other_players", [])]  # next one first
        self.available_actions: list[str] = state.get("available_actions", [])
        self.playable_cards: list[str] = state.get("playable_cards", [])
        self.notifications = notifications  # all since the game began: "player2 played b5"

    def favourite_color(self) -> str:
        """The color of most cards in the hand."""
        letters = [card[0] for card in self.hand]
        return COLORS[max(COLORS, key=letters.count)]


def is_wild(card: str) -> bool:
    return card.startswith("w")


def points(card: str) -> int:
    """What a card costs if it is still in the hand at the end."""
    if is_wild(card):
        return 50
    return int(card[1:]) if card[1:].isdigit() else 20


def play(move: Callable[[State], Move | None]) -> None:
    """Answers the host until the game ends."""
    notifications: list[str] = []
    refused = False
    for line in sys.stdin:
        if not line.strip():
            continue
        message = json.loads(line)
        kind = message.get("type")
        if kind == "request_action":
            state = State(message["state"], notifications)
            # What was refused once would be refused again.
            chosen = None if refused else move(state)
            refused = False
            sys.stdout.write(json.dumps(answer(state, chosen)) + "\n")
            sys.stdout.flush()
        elif kind == "notification":
            notifications.append(message.get("message", ""))
        elif kind == "error":
            refused = True
            print("refused:", message.get("message"), file=sys.stderr)
        elif kind == "game_end":
            return


def answer(state: State, move: Move | None) -> dict[str, str]:
    if move is None:
        return {"action": "draw" if "draw" in state.available_actions else "pass"}
    if is_wild(move.card):
        color = move.color or state.favourite_color()
        return {"action": "play", "card": move.card, "wild_color": color}
    return {"action": "play", "card": move.card}
