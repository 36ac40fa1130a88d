"""A good bot whose lines are spoiled on the way: `python3 mutant.py MODE COMMAND…`."""
import os
import subprocess
import sys
import threading

mode, command = sys.argv[1], sys.argv[2:]
# How many lines of the bot are left alone first: those of a handshake.
KEPT = 2

if mode == "banner":
    print("Welcome to this bot", flush=True)
bot = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def pass_on():
    """Gives the bot what the host says."""
    while True:
        data = os.read(0, 65536)
        if not data:
            bot.stdin.close()
            return
        try:
            bot.stdin.write(data)
            bot.stdin.flush()
        except BrokenPipeError:
            return


threading.Thread(target=pass_on, daemon=True).start()
last, count = b"", 0
for line in bot.stdout:
    count += 1
    said = line
    answer = line[:1].isdigit() or line[:1] == b"{" or line[:5] == b"move "
    if mode == "silent":
        continue
    if mode == "half":
        said = line.rstrip(b"\r\n")
    elif mode == "garbage" and answer:
        said = b"\x1b[31mgarbage\n"
    elif mode == "bare":
        # The move without its word.
        said = line.replace(b"move ", b"")
    elif mode == "broken" and answer:
        said = line.replace(b"}", b"")
    elif mode == "others" and answer:
        said = b"77:forward\n"
    elif mode == "crash" and answer:
        os._exit(3)
    elif mode == "stale" and answer:
        last = last or line
        said = last
    elif mode == "twice" and answer:
        said = line + line
    os.write(1, said)
sys.exit(bot.wait())
