"""A PyRat bot with a habit: `rat.py HABIT`. It plays as the reference client in examples does."""

import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../../examples/bots/pyrat/python"))
import pyrat  # noqa: E402

habit = sys.argv[1]
EVENT = 5  # the turn before which something happens


def nearest(game):
    """The first move of the shortest way to any cheese, mud counted."""
    me = game.players[game.me].at
    rings, seen, turns = {0: [(me, "STAY")]}, set(), 0
    while rings:
        for at, first in rings.pop(turns, []):
            if at in seen:
                continue
            seen.add(at)
            if at in game.cheese and at != me:
                return first
            for move, to, cost in game.exits(at):
                rings.setdefault(turns + cost, []).append((to, move if at == me else first))
        turns += 1
    return "STAY"


def think(game, stopped):
    if habit in ("track", "track-and-crash"):
        seen = [f"{p.at[0]} {p.at[1]} {p.mud} {p.score}" for p in map(game.players.get, ("rat", "python"))]
        client.say(f"info string seen {game.turn} {seen[0]} {seen[1]} {len(game.cheese)}")
    if habit == "quirky":
        client.say("info target (2, 2)")
        if game.turn == 0:
            time.sleep(0.1)
    if habit == "track-and-crash" and game.turn in (3, 8, 13):
        os._exit(1)
    if game.turn == EVENT:
        if habit == "wrong":
            return "NORTH"
        event(game)
    return nearest(game)


def event(game):
    limit = game.time["move"] / 1000
    if habit == "sleep":
        time.sleep(3)
    elif habit == "late":
        time.sleep(limit + 0.5)
    elif habit == "quirky":
        time.sleep(limit + 0.1)
    elif habit == "stop":
        while not client.stop.is_set():
            time.sleep(0.01)
    elif habit == "exit":
        os._exit(0)
    elif habit == "killed":
        # By somebody else, as far as this process can tell.
        subprocess.Popen(["sh", "-c", f"kill -9 {os.getpid()}"], stdout=subprocess.DEVNULL)
        time.sleep(10)
    elif habit == "flood":
        for depth in range(20000):
            client.say(f"info depth {depth} string " + "x" * 100)


options = ["name Depth type spin default 3 min 1 max 10"] if habit == "options" else []
client = pyrat.Client(f"rat with a habit of {habit}", think, options)
if habit == "quirky":
    plain = client.handle
    client.handle = lambda word, rest: None if word == "startpostprocessing" else plain(word, rest)
client.run()
if habit == "quirky":
    threading.Event().wait()  # stays although its input has ended
