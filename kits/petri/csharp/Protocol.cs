// The protocol of petri: reads what an agent sees, asks `Move` for an action, and writes it.
//
// Every agent is a process of its own, from its birth to its death: variables last as long as it
// does. Standard output belongs to the protocol: print to Console.Error, which is kept in the replay.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

/// A cell beside the agent.
sealed class Neighbor
{
    public string Direction;
    public int Energy;
    /// Null: nobody is there.
    public string AgentId;
    /// False: it lies outside of the world.
    public bool Inside;
}

/// What an agent sees in a tick.
sealed class State
{
    static readonly string[] Directions =
        { "north_west", "north", "north_east", "west", "east", "south_west", "south", "south_east" };
    static readonly int[] Dx = { -1, 0, 1, -1, 1, -1, 0, 1 }, Dy = { -1, -1, -1, 0, 0, 1, 1, 1 };

    public int Tick, X, Y, Energy, Width, Height, Generation, TimeoutMs;
    public string AgentId;
    public readonly List<Neighbor> Neighbors = new List<Neighbor>();

    public State(Json message)
    {
        Tick = message["tick"].Number();
        AgentId = message["agent_id"].Text;
        X = Part(message["position"], 0);
        Y = Part(message["position"], 1);
        Energy = message["energy"].Number();
        Width = Part(message["world_size"], 0);
        Height = Part(message["world_size"], 1);
        Generation = message["generation"].Number();
        TimeoutMs = message["timeout_ms"].Number(1000);
        for (int i = 0; i < 8; i++)
        {
            Json cell = message["neighbors"][Directions[i]];
            int x = X + Dx[i], y = Y + Dy[i];
            Neighbors.Add(new Neighbor
            {
                Direction = Directions[i], Energy = cell["energy"].Number(), AgentId = cell["agent_id"].Text,
                Inside = x >= 0 && x < Width && y >= 0 && y < Height,
            });
        }
    }

    static int Part(Json pair, int place) => place < pair.List.Count ? pair.List[place].Number() : 0;

    /// The cells in which there is room for a child.
    public List<Neighbor> Free() => Neighbors.Where(cell => cell.Inside && cell.AgentId == null).ToList();

    /// The cells with another agent, friend or foe.
    public List<Neighbor> Others() => Neighbors.Where(cell => cell.AgentId != null).ToList();
}

static class Protocol
{
    /// Answers every tick until the agent dies or the game is over. `move` returns "rest", "replicate",
    /// "die" or "attack north" (any direction).
    public static void Play(Func<State, string> move)
    {
        for (string line; (line = Console.In.ReadLine()) != null;)
        {
            if (line.Trim() == "") continue;
            string[] chosen = move(new State(Json.Parse(line))).Split(new[] { ' ' }, 2);
            string target = chosen.Length > 1 ? "\",\"target\":\"" + chosen[1] : "";
            Console.Out.Write("{\"action\":\"" + chosen[0] + target + "\"}\n");
            Console.Out.Flush();
        }
    }

    /// This agent's file; it is gone when the agent is.
    public static string MemoryPath() =>
        Environment.GetEnvironmentVariable("AGENT_MEMORY")
        ?? "/tmp/agents/" + Environment.GetEnvironmentVariable("AGENT_ID") + ".json";

    /// What was written to the agent's file; nothing at first.
    public static string ReadMemory() => File.Exists(MemoryPath()) ? File.ReadAllText(MemoryPath()) : "";

    /// Keeps a text of up to 1 MiB in the agent's file.
    public static void WriteMemory(string text) => File.WriteAllText(MemoryPath(), text);
}
