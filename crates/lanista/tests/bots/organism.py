"""Agents with habits, for the tests of worlds. The habit is the argument."""
import json, os, signal, sys, time

habit = sys.argv[1]


def say(text):
    print(text, flush=True)


for line in sys.stdin:
    state = json.loads(line)
    tick = state["tick"]
    assert os.environ.get("AGENT_ID", state["agent_id"]) == state["agent_id"]
    rest = json.dumps({"action": "rest", "message": "tick %d" % tick})
    if habit == "crash" and tick == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    elif habit == "crash-alone" and tick == 3 and state["position"][0] % 2 == 0:
        sys.exit(1)
    elif habit == "sleep" and tick == 3:
        time.sleep(1.5)
        say(json.dumps({"action": "die"}))
    elif habit == "garbage" and tick == 3:
        say("{'action': 'rest'}")
    elif habit == "twice" and tick == 3:
        say(rest + "\n" + json.dumps({"action": "die"}))
    elif habit == "remember":
        # Counts the ticks in its own file, which must be where the document says if it is caged.
        path = os.environ["AGENT_MEMORY"]
        promised = "/tmp/agents/%s.json" % state["agent_id"]
        folder, name = os.path.split(path)
        seen = json.load(open(path))["ticks"] if os.path.exists(path) else 0
        # Agents of the original program write the same file as ID/ID.json.
        alias = os.path.join(folder, state["agent_id"], name)
        json.dump({"ticks": seen + 1, "of": state["agent_id"]}, open(alias if seen % 2 else path, "w"))
        others = [other for other in os.listdir(folder) if other not in (name, state["agent_id"])]
        where = "as promised" if path == promised else "elsewhere"
        say(json.dumps({"action": "rest", "message": "%d before, %s, others %s" % (seen, where, others)}))
    elif habit == "breed":
        say(json.dumps({"action": "replicate" if state["energy"] >= 5 else "rest"}))
    else:
        say(rest)
