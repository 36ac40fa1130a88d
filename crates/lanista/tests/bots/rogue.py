"""A hostile player of worlds and cards: `rogue.py GAME MODE WORD`. In mode `honest` it is harmless. In the others it gives
the replies of the mode one after another, and honest ones when it has no more."""
import array
import ctypes
import fcntl
import json
import mmap
import os
import select
import sys
import termios
import time

game, mode, word = sys.argv[1:4]
raw = lambda data: os.write(1, data)  # noqa: E731


def forever():
    while True:
        time.sleep(60)


def bad_json(good):
    """Replies that are no JSON object with every key once."""
    start = good[:-1].encode()
    return [
        start + b',"x":' + b"[" * 10000 + b"]" * 10000 + b"}",
        start + b',"x":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
        b"[" * 60000,
        start + b"," + start[1:] + b"}",
        start + b',"x":NaN}',
        start + b',"x":-Infinity}',
        start + b',"x":1e999}',
        start + b',"x":+1}',
        b'{"action":99999999999999999999}',
        b"7", b"null", b'"rest"', b"true", b"[]", b"[" + good.encode() + b"]", b"{}",
        b'{"action":"\\ud800"}',
        good.encode() + b" x",
        good.encode() + good.encode(),
        b"\xef\xbb\xbf" + good.encode(),
        b"\x00" + good.encode(),
        start + b',"x":"\xff"}',
        start + b',"x":"\x01"}',
        start + b",}",
        b"'" + good.encode() + b"'",
    ]


def memory():
    """Puts something else in the place of its memory file."""
    path = os.environ["AGENT_MEMORY"]
    kind = mode[len("memory-"):]
    if kind == "link":
        os.symlink(os.environ["OUTSIDE"] + "/keep", path)
    elif kind == "dangling":
        os.symlink("/proc/self/environ", path)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.makedirs(path + "/a/b")
        for name in ("/a/b", "/a", ""):
            os.chmod(path + name, 0)
    elif kind == "huge":
        with open(path, "wb") as file:
            file.truncate(1 << 34)
    elif kind == "long":
        with open(path, "wb") as file:
            file.write(b"m" * (3 << 20))
    elif kind == "secret":
        with open(path, "w") as file:
            file.write("secret-of-test")
        os.chmod(path, 0o777)
    elif kind == "theft":
        theft(path)


def theft(own):
    """Opens the memory files of the others, for reading and for writing, wherever they may be."""
    around = os.path.dirname(own)
    above = os.path.dirname(around)
    folders, names = {around, above, "/tmp", os.environ.get("TMPDIR", "/tmp")}, set(os.environ["OTHERS"].split())
    mark, _, number = os.path.basename(around).rpartition("-")
    folders.update(os.path.join(above, "%s-%d" % (mark, number)) for number in range(20))
    for folder in sorted(folders):
        try:
            names.update(os.listdir(folder))
        except OSError:
            pass
    tried, got = 0, []
    for path in sorted(os.path.join(folder, name) for folder in folders for name in names):
        if path == own or os.path.isdir(path):
            continue
        for flags in (os.O_RDONLY, os.O_WRONLY):
            tried += 1
            try:
                os.close(os.open(path, flags))
                got.append(path)
            except OSError:
                pass
    os.write(2, ("tried %s, got %s\n" % (tried > 20, got)).encode())


def petri():
    replies = bad_json('{"action":"rest"}') if mode == "json" else []
    if mode == "dawdle":
        # Everybody waits until a newborn has read its first message.
        time.sleep(0.6)
        replies = [b'{"action":"replicate"}'] * 99
    for number, line in enumerate(sys.stdin):
        json.loads(line)
        if mode.startswith("memory-") and number == 0:
            try:
                memory()
            except OSError as error:
                os.write(2, b"memory: %d\n" % error.errno)
        raw((replies[number] if number < len(replies) else b'{"action":"rest"}') + b"\n")


def jedna():
    replies = iter(bad_json('{"action":"draw"}') if mode == "json" else [])
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] != "request_action":
            continue
        state = message["state"]
        action = {"action": "draw" if "draw" in state["available_actions"] else "pass"}
        if "play" in state["available_actions"]:
            action = {"action": "play", "card": state["playable_cards"][0], "wild_color": "red"}
        raw(next(replies, json.dumps(action).encode()) + b"\n")


ORDERS = ["99999999999999999999:left", "-1:left", "256:left", "4294967296:left", "0:attack@99999999999999999999", "0:attack@-1",
          "1e3:left", "0x0:left", "\ufeff0:left", "0:left\x000", "NaN:left"]


def peek():
    """Reads its first question but for the last byte, and thinks. The rest is read with the next one."""
    select.select([0], [], [])
    unread = array.array("i", [0])
    fcntl.ioctl(0, termios.FIONREAD, unread)
    begun = os.read(0, unread[0] - 1)
    time.sleep(3)
    return begun


def peek_in_vain():
    """Reads its first question into memory that ends before it does, and thinks. The system copies what there
    is room for and says that the read has failed."""
    libc, page = ctypes.CDLL(None, use_errno=True), mmap.PAGESIZE
    room = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    if libc.mprotect(ctypes.c_void_p(start + page), page, 0) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    select.select([0], [], [])
    unread = array.array("i", [0])
    fcntl.ioctl(0, termios.FIONREAD, unread)
    fits = min(unread[0], page) - 1
    libc.read(0, ctypes.c_void_p(start + page - fits), fits + 1)
    seen = ctypes.string_at(start + page - fits, fits)
    os.write(2, b"seen: %d bytes that are not zero\n" % len(seen.strip(b"\0")))
    time.sleep(3)


def ants():
    if mode in ("peek", "peek-in-vain"):
        peek() if mode == "peek" else peek_in_vain()
        forever()
    replies = [order.encode() for order in ORDERS] if mode == "numbers" else []
    words, asked = [], 0

    def row():
        return [int(word) for word in sys.stdin.readline().split()]
    while True:
        header = row()
        if not header:
            return
        row()
        for _ in range(header[1]):
            row()
        for _ in range(row()[2]):
            row()
        if header[3] == 0:
            return
        raw((replies[asked] if asked < len(replies) else b"") + b"\n")
        asked += 1
        if mode == "never-reads" and asked == 1:
            forever()


def pyrat():
    sys.path.insert(0, os.environ["PYRAT"])
    import pyrat
    answers = ["99999999999999999999", "-1", "1e3", "NaN", "UP" * 20000, "U\x00P", "\x1b[2J"]

    def think(state, stopped):
        return answers[state.turn] if mode == "numbers" and state.turn < len(answers) else "STAY"
    pyrat.Client("rogue", think, []).run()


{"petri": petri, "jedna": jedna, "ants": ants, "pyrat": pyrat}[game]()
