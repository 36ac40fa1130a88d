#!/usr/bin/env python3
"""Plays the next free cell, each time after a byte has come through a named pipe."""
import sys

gate = open(sys.argv[1], "rb", buffering=0)
taken, cells = set(), [(x, y) for y in range(15) for x in range(0, 15, 2)]


def play():
    gate.read(1)
    cell = next(cell for cell in cells if cell not in taken)
    taken.add(cell)
    print("%d,%d" % cell, flush=True)


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        print("OK", flush=True)
    elif word == "BEGIN":
        play()
    elif word == "TURN":
        taken.add(tuple(map(int, rest.split(","))))
        play()
    elif word == "BOARD":
        for move in iter(lambda: sys.stdin.readline().strip(), "DONE"):
            taken.add(tuple(map(int, move.split(",")[:2])))
        play()
    elif word == "END":
        break
