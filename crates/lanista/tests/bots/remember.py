"""A bot that takes notes wherever it can, and says on its standard error what it finds of earlier games.

It knows no protocol: it loses as soon as it has said it.
"""
import os
import sys
import tempfile

NOTE = "note-of-an-earlier-game"


def places():
    """Every folder that may be writable."""
    yield from (os.environ.get(name) for name in ("HOME", "TMPDIR", "AGENT_MEMORY"))
    yield os.getcwd()
    yield os.path.dirname(os.path.abspath(__file__))
    yield tempfile.gettempdir()
    yield from ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", "/tmp/agents", "/run/lock")
    try:
        with open("/proc/self/mountinfo") as mounts:
            yield from [line.split()[4] for line in mounts]
    except OSError:
        pass
    # The folders of this and of other runs, where their names can be seen.
    for above in {"/tmp", tempfile.gettempdir()}:
        for name in names(above):
            if name.startswith("lanista-"):
                yield os.path.join(above, name)
                yield from (os.path.join(above, name, below) for below in names(os.path.join(above, name)))


def names(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def say(text):
    os.write(2, (text + "\n").encode())


folders = sorted({place for place in places() if place and os.path.isdir(place)})
found = []
for folder in folders:
    try:
        with open(os.path.join(folder, NOTE)) as note:
            found.append("%s (process %s)" % (folder, note.read()))
    except OSError:
        pass
say("remembers: " + ("; ".join(found) or "nothing"))
noted = 0
for folder in folders:
    try:
        with open(os.path.join(folder, NOTE), "w") as note:
            note.write(str(os.getpid()))
        noted += 1
    except OSError:
        pass
say("noted: %d" % noted)
# Whoever is told nothing more is not kept either.
for line in sys.stdin:
    break
