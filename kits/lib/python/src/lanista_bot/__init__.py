"""Bots for Lanista: a module for each game speaks its protocol and asks your `move(state)`.

from lanista_bot import gomoku

gomoku.play(lambda state: state.free()[0], name="mybot")
"""
