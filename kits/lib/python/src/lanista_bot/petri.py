"""The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.

    def move(state):
        return "rest"

    play(move)

`move` gets a State and returns "rest", "replicate", "die" or "attack north" (any of DIRECTIONS).
Every agent is a process of its own, from its birth to its death: variables last as long as it
does. Standard output belongs to the protocol: print to standard error, which is kept in the replay.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DIRECTIONS = {
    "north_west": (-1, -1), "north": (0, -1), "north_east": (1, -1), "west": (-1, 0),
    "east": (1, 0), "south_west": (-1, 1), "south": (0, 1), "south_east": (1, 1),
}  # fmt: skip
ACTIONS = ("rest", "replicate", "die", *(f"attack {direction}" for direction in DIRECTIONS))


class Neighbor:
    """A cell beside the agent."""

    def __init__(self, cell: dict[str, Any], inside: bool) -> None:
        self.energy: int = cell.get("energy") or 0
        self.agent_id: str | None = cell.get("agent_id")  # None: nobody is there
        self.inside = inside  # False: it lies outside of the world


class State:
    """What an agent sees in a tick."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.tick: int = message.get("tick", 0)
        self.agent_id: str = message.get("agent_id", "")
        self.x, self.y = message.get("position", [0, 0])
        self.energy: int = message.get("energy", 0)
        self.width, self.height = message.get("world_size", [1, 1])
        self.generation: int = message.get("generation", 0)
        self.timeout_ms: int = message.get("timeout_ms", 1000)
        cells = message.get("neighbors", {})
        self.neighbors = {
            direction: Neighbor(cells.get(direction) or {},
                                0 <= self.x + dx < self.width and 0 <= self.y + dy < self.height)
            for direction, (dx, dy) in DIRECTIONS.items()
        }  # fmt: skip

    def free(self) -> list[str]:
        """The directions in which there is room for a child."""
        return [d for d, cell in self.neighbors.items() if cell.inside and cell.agent_id is None]

    def others(self) -> list[str]:
        """The directions in which there is another agent, friend or foe."""
        return [d for d, cell in self.neighbors.items() if cell.agent_id is not None]


def play(move: Callable[[State], str]) -> None:
    """Answers every tick until the agent dies or the game is over."""
    for line in sys.stdin:
        if not line.strip():
            continue
        chosen = move(State(json.loads(line)))
        if chosen not in ACTIONS:
            raise ValueError(f"move returned {chosen!r}, which is not an action")
        action, _, target = chosen.partition(" ")
        answer = {"action": action, "target": target} if target else {"action": action}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def memory_path() -> str:
    """This agent's file; it is gone when the agent is."""
    return os.environ.get("AGENT_MEMORY") or f"/tmp/agents/{os.environ.get('AGENT_ID', 'agent')}.json"


def read_memory() -> str:
    """What was written to the agent's file; nothing at first."""
    try:
        with open(memory_path(), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def write_memory(text: str) -> None:
    """Keeps a text of up to 1 MiB in the agent's file."""
    with open(memory_path(), "w", encoding="utf-8") as file:
        file.write(text)
