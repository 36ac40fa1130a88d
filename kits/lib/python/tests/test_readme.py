"""README's example plays, and the package holds what it needs."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Readme(unittest.TestCase):
    def test_the_example_plays(self):
        with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
            example = re.search(r"```python\n(.*?)```", file.read(), re.DOTALL)[1]
        environment = dict(os.environ, PYTHONPATH=os.path.join(HERE, "src"))
        asked = "START 20\nTURN 3,4\nEND\n"
        said = subprocess.run(
            [sys.executable, "-c", example],
            input=asked, env=environment, capture_output=True, text=True, timeout=60, check=True,
        ).stdout.split("\n")
        self.assertEqual(said[0], "OK")
        self.assertRegex(said[1], r"^\d+,\d+$")


class Package(unittest.TestCase):
    def test_it_holds_every_module_and_the_types(self):
        if not find_spec("setuptools"):
            self.skipTest("setuptools is missing")
        with tempfile.TemporaryDirectory() as folder:
            # A build leaves files behind.
            source = shutil.copytree(HERE, os.path.join(folder, "source"))
            built = os.path.join(folder, "built")
            command = [sys.executable, "-W", "ignore", "-c", "import setuptools; setuptools.setup()"]
            command += ["--quiet", "build", "--build-lib", built]
            subprocess.run(command, cwd=source, check=True, timeout=300)
            names = os.listdir(os.path.join(built, "lanista_bot"))
            self.assertEqual(os.listdir(built), ["lanista_bot"])
        modules = os.listdir(os.path.join(HERE, "src/lanista_bot"))
        self.assertEqual(sorted(names), sorted(name for name in modules if name != "__pycache__"))
        self.assertIn("py.typed", names)


if __name__ == "__main__":
    unittest.main()
