"""What a state knows, and that the modules answer as the conversations say."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "src")
sys.path.insert(0, SOURCE)

from lanista_bot import ants, gomoku, jedna, petri, pyrat  # noqa: E402


def run(program, lines, **env):
    """What a bot says to these lines, as a process."""
    result = subprocess.run(
        [sys.executable, "-c", program],
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": SOURCE, **env},
    )
    return result.returncode, result.stdout.splitlines(), result.stderr


class Gomoku(unittest.TestCase):
    def test_a_row_is_counted_through_the_cell_in_all_directions(self):
        state = gomoku.State(15, 15, {})
        for x, y in ((3, 3), (4, 4), (6, 6), (5, 9)):
            state.put(x, y, gomoku.ME)
        self.assertEqual(state.row(5, 5, gomoku.ME), 4)
        self.assertEqual(state.row(5, 5, gomoku.THEM), 1)
        self.assertEqual(state.row(0, 14, gomoku.ME), 1)

    def test_free_cells_are_those_without_a_stone(self):
        state = gomoku.State(5, 6, {})
        state.put(0, 0, gomoku.THEM)
        state.put(4, 5, gomoku.FORBIDDEN)
        self.assertEqual(len(state.free()), 28)
        state.take_back(0, 0)
        self.assertEqual(state.free()[0], (0, 0))
        self.assertEqual(state.stones, [(4, 5, gomoku.FORBIDDEN)])

    def test_the_time_of_a_move_is_the_lower_limit(self):
        self.assertEqual(gomoku.State(5, 5, {"timeout_turn": "1000", "time_left": "700"}).time_ms(), 700)
        self.assertEqual(gomoku.State(5, 5, {"timeout_turn": "0"}).time_ms(), 2_147_483_647)

    def test_a_move_that_is_not_free_is_the_bots_error(self):
        code, said, errors = run(
            "from lanista_bot import gomoku; gomoku.play(lambda state: (7, 7))", ["START 15", "TURN 7,7"]
        )
        self.assertEqual((code, said), (1, ["OK"]))
        self.assertIn("not a free cell", errors)


class Pyrat(unittest.TestCase):
    def maze(self):
        state = pyrat.State()
        state.make_maze(3, 2)
        state.set_cost(0, 1, 4)  # mud of 3 between (0,0) and (1,0)
        state.set_cost(1, 4, 0)  # a wall between (1,0) and (1,1)
        return state

    def test_ways_count_mud_and_go_round_walls(self):
        turns, first = self.maze().ways(0)
        self.assertEqual(turns, [0, 4, 4, 1, 2, 3])
        self.assertEqual(first[2], "UP")
        self.assertEqual(first[1], "RIGHT")

    def test_mud_takes_its_turns_and_shared_cheese_is_halved(self):
        state = self.maze()
        state.cheese = [1, 5]
        state.players = {"rat": pyrat.Player(0), "python": pyrat.Player(2)}
        state.step({"rat": "RIGHT", "python": "STAY"})
        self.assertEqual((state.me.cell, state.me.mud, state.me.target), (0, 3, 1))
        state.step({"rat": "UP", "python": "STAY"})
        state.step({"rat": "UP", "python": "STAY"})
        state.step({"rat": "UP", "python": "LEFT"})
        self.assertEqual((state.me.cell, state.me.score, state.other.score), (1, 0.5, 0.5))
        self.assertEqual((state.cheese, state.turn), ([5], 4))

    def test_an_option_that_is_declared_can_be_read(self):
        program = (
            "from lanista_bot import pyrat\n"
            "pyrat.play(lambda state: state.options['Way'], options=('name Way type string default UP',))"
        )
        lines = ["pyrat", "setoption name Way value LEFT", "newgame", "maze height:2 width:2", "youare rat", "go"]
        said = run(program, lines)[1]
        self.assertEqual(said[1:], ["option name Way type string default UP", "pyratready", "move LEFT"])

    def test_stop_is_heard_while_the_bot_thinks(self):
        program = (
            "from lanista_bot import pyrat\n"
            "def move(state):\n"
            "    while not state.stopped(): pass\n"
            "    return 'UP'\n"
            "pyrat.play(move)"
        )
        bot = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={**os.environ, "PYTHONPATH": SOURCE},
        )
        with bot:
            bot.stdin.write("newgame\nmaze height:2 width:2\nyouare rat\ngo\nisready\n")
            self.assertEqual(bot.stdout.readline(), "readyok\n")
            bot.stdin.write("stop\n")
            self.assertEqual(bot.stdout.readline(), "move UP\n")


class Jedna(unittest.TestCase):
    def test_points_and_colors(self):
        self.assertEqual([jedna.points(card) for card in ("r0", "b9", "ys", "g+2", "wd", "wd4")], [0, 9, 20, 20, 50, 50])
        state = jedna.State({"hand": ["y1", "g2", "g3", "wd"]}, [])
        self.assertEqual(state.favourite_color(), "green")
        self.assertEqual(jedna.State({}, []).favourite_color(), "red")

    def test_a_wild_without_a_color_gets_one(self):
        state = jedna.State({"hand": ["y1", "wd"], "available_actions": ["play", "draw"]}, [])
        self.assertEqual(
            jedna.answer(state, jedna.Move("wd")), {"action": "play", "card": "wd", "wild_color": "yellow"}
        )
        self.assertEqual(jedna.answer(state, None), {"action": "draw"})


class Ants(unittest.TestCase):
    def test_the_nearest_cell_is_found_round_rocks_and_ants(self):
        state = ants.State()
        rows = ["...1", ".#..", "...."]
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                state.cells[x, y] = {".": ants.GRASS, "#": ants.ROCK, "1": ants.SUGAR}[letter]
        ant = ants.Ant(0, 0, 1, 1, 0, 100, 100, ants.CONTROLLED)
        state.ants = [ant]
        self.assertEqual(state.nearest(ant, state.is_food), (3, 0, "left"))
        state.ants.append(ants.Ant(1, 0, 0, 1, 0, 100, 100, ants.CONTROLLED))
        self.assertEqual(state.nearest(ant, state.is_food), (3, 0, "right"), "another ant is in the way")
        self.assertIsNone(state.nearest(ant, lambda x, y: False))

    def test_left_and_right(self):
        state = ants.State()
        east = ants.Ant(0, 5, 5, 1, 0, 1, 1, 1)
        self.assertEqual([state.towards(east, cell) for cell in ((6, 5), (5, 4), (5, 6))], ["forward", "left", "right"])


class Petri(unittest.TestCase):
    def test_what_lies_outside_is_no_room(self):
        state = petri.State({"position": [0, 0], "world_size": [2, 1], "neighbors": {"east": {"agent_id": "abc123"}}})
        self.assertEqual((state.free(), state.others()), ([], ["east"]))

    def test_memory_lasts_and_is_nothing_at_first(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["AGENT_MEMORY"] = os.path.join(folder, "abc123.json")
            self.assertEqual(petri.read_memory(), "")
            petri.write_memory(json.dumps({"foes": ["é"]}))
            self.assertEqual(json.loads(petri.read_memory()), {"foes": ["é"]})
            del os.environ["AGENT_MEMORY"]

    def test_what_is_not_an_action_is_the_bots_error(self):
        code, said, errors = run("from lanista_bot import petri; petri.play(lambda state: 'jump')", ["{}"])
        self.assertEqual((code, said), (1, []))
        self.assertIn("not an action", errors)


if __name__ == "__main__":
    unittest.main()
