"""A small agent for Petri: breeds where there is room, remembers who was there before a fight broke out.

One JSON object comes in for every tick, and one goes out. What is to outlast this process's own variables
can be kept in the file that AGENT_MEMORY names; this agent writes there what it has lived through.
"""
import json
import os
import sys

STEPS = {
    "north_west": (-1, -1), "north": (0, -1), "north_east": (1, -1), "west": (-1, 0),
    "east": (1, 0), "south_west": (-1, 1), "south": (0, 1), "south_east": (1, 1),
}


def room(state):
    """Whether a neighbouring cell is free. Cells outside of the world look empty, too."""
    (x, y), (width, height) = state["position"], state["world_size"]
    return any(
        state["neighbors"][way]["agent_id"] is None and 0 <= x + dx < width and 0 <= y + dy < height
        for way, (dx, dy) in STEPS.items()
    )


def choose(state, before, foes):
    here = {info["agent_id"]: way for way, info in state["neighbors"].items() if info["agent_id"]}
    # Whoever stood alone beside us when we were hurt did it.
    if before and before["energy"] - state["energy"] == 3:
        there = [info["agent_id"] for info in before["neighbors"].values() if info["agent_id"]]
        if len(there) == 1:
            foes.add(there[0])
    if state["energy"] >= 5 and room(state):
        return {"action": "replicate", "message": "there is room"}
    for foe in sorted(foes & here.keys()):
        return {"action": "attack", "target": here[foe], "message": foe + " began it"}
    return {"action": "rest"}


def remember(path, memory):
    """Keeps the memory; an agent without a file lives on without."""
    try:
        with open(path, "w") as file:
            json.dump({"memory": memory}, file)
    except OSError:
        pass


def main():
    before, foes = None, set()
    for line in sys.stdin:
        state = json.loads(line)
        answer = choose(state, before, foes)
        print(json.dumps(answer), flush=True)
        before = state
        path = os.environ.get("AGENT_MEMORY", "/tmp/agents/%s.json" % state["agent_id"])
        remember(path, {"turn_count": state["tick"], "foes": sorted(foes)})


main()
