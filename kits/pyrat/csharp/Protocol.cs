// The protocol of pyrat: hears the engine, keeps track of the game, and asks `Move` for a move.
//
// A thread reads while the bot thinks, so that `isready` and `stop` are heard: a long thought asks
// `state.Stopped` now and then. Standard output belongs to the protocol: print to Console.Error,
// which is kept in the replay.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;

enum Step { UP, DOWN, LEFT, RIGHT, STAY }

sealed class Player
{
    public int Cell;
    /// While it is in mud: the cell it will arrive at.
    public int Target;
    /// Turns until then; its moves are ignored meanwhile.
    public int Mud;
    public double Score;
}

/// A move that leads out of a cell.
struct Exit
{
    public Step Step;
    public int To, Turns;
}

/// For every cell: in how many turns it is reached, and by which first step.
sealed class Ways
{
    public int[] Turns;
    public Step[] First;
}

/// The game as it stands. A cell is a number, y * Width + x; (0, 0) is at the bottom left.
sealed class State
{
    /// Turns to a cell that cannot be reached.
    public const int Far = 1000000;
    static readonly int[][] Steps = { new[] { 0, 1 }, new[] { 0, -1 }, new[] { -1, 0 }, new[] { 1, 0 } };

    public int Width, Height, Turn;
    public List<int> Cheese = new List<int>();
    public readonly Player Rat = new Player(), Python = new Player();
    public bool IsRat = true;
    /// Limits in milliseconds: "move", "preprocessing", "postprocessing".
    public readonly Dictionary<string, int> Time = new Dictionary<string, int>();
    /// What setoption said.
    public Dictionary<string, string> Options = new Dictionary<string, string>();
    /// Turns that each of the four steps takes; 0: there is a wall.
    int[][] costs;

    public Player Me => IsRat ? Rat : Python;
    public Player Other => IsRat ? Python : Rat;

    /// Whether a thought has to end.
    public bool Stopped => Protocol.Stop;

    /// The moves that lead out of a cell.
    public IEnumerable<Exit> Exits(int cell)
    {
        for (int i = 0; i < 4; i++)
            if (costs[cell][i] > 0)
                yield return new Exit { Step = (Step)i, To = cell + Steps[i][1] * Width + Steps[i][0], Turns = costs[cell][i] };
    }

    /// The ways from a cell to all others.
    public Ways Ways(int start)
    {
        int cells = Width * Height;
        int[] turns = Enumerable.Repeat(Far, cells).ToArray();
        Step[] first = Enumerable.Repeat(Step.STAY, cells).ToArray();
        turns[start] = 0;
        var queue = new Queue<int>(new[] { start });
        while (queue.Count > 0)
        {
            int cell = queue.Dequeue();
            foreach (Exit exit in Exits(cell))
            {
                if (turns[cell] + exit.Turns >= turns[exit.To]) continue;
                turns[exit.To] = turns[cell] + exit.Turns;
                first[exit.To] = cell == start ? exit.Step : first[cell];
                queue.Enqueue(exit.To);
            }
        }
        return new Ways { Turns = turns, First = first };
    }

    // ---- keeping track ----

    public void MakeMaze(int width, int height)
    {
        Width = width;
        Height = height;
        costs = new int[width * height][];
        for (int cell = 0; cell < costs.Length; cell++)
        {
            int x = cell % width, y = cell / width;
            bool[] open = { (y + 1 < height), (y > 0), (x > 0), (x + 1 < width) };
            costs[cell] = open.Select(leads => leads ? 1 : 0).ToArray();
        }
    }

    /// Between two cells, in both directions.
    public void SetCost(int a, int b, int turns)
    {
        foreach (Exit exit in Exits(a).Where(exit => exit.To == b).ToList()) costs[a][(int)exit.Step] = turns;
        foreach (Exit exit in Exits(b).Where(exit => exit.To == a).ToList()) costs[b][(int)exit.Step] = turns;
    }

    /// One turn of one player: it moves, or struggles on in the mud whatever its move is.
    void Advance(Player player, Step step)
    {
        if (player.Mud > 0)
        {
            player.Mud--;
        }
        else
        {
            foreach (Exit exit in Exits(player.Cell).Where(exit => exit.Step == step))
            {
                player.Target = exit.To;
                player.Mud = exit.Turns - 1;
            }
        }
        if (player.Mud == 0) player.Cell = player.Target;
    }

    /// One turn of the game.
    public void DoTurn(Step rats, Step pythons)
    {
        Turn++;
        Advance(Rat, rats);
        Advance(Python, pythons);
        var eaters = new[] { Rat, Python }.Where(player => player.Mud == 0 && Cheese.Contains(player.Cell)).ToList();
        bool shared = eaters.Count == 2 && Rat.Cell == Python.Cell;
        foreach (Player player in eaters)
        {
            player.Score += shared ? 0.5 : 1;
            Cheese.Remove(player.Cell);
        }
    }

    /// After a restart: the history of moves tells who is how deep in mud. A walk along it from the
    /// right start ends where the player is now. Usually the start is the player's corner.
    public void RecoverMud(List<Step> history)
    {
        Turn = history.Count / 2;
        int last = Width * Height - 1;
        for (int number = 0; number < 2; number++)
        {
            Player player = number == 0 ? Rat : Python;
            for (int i = -1; i <= last; i++)
            {
                int start = i >= 0 ? i : number == 0 ? 0 : last;
                var walker = new Player { Cell = start, Target = start };
                for (int at = number; at < history.Count; at += 2) Advance(walker, history[at]);
                if (walker.Cell != player.Cell) continue;
                player.Target = walker.Target;
                player.Mud = walker.Mud;
                break;
            }
        }
    }

    static readonly Regex CellPattern = new Regex(@"\((\d+),(\d+)\)");

    /// The cells in a text: "(0,0)-(0,1)".
    public List<int> Cells(string text)
    {
        var found = new List<int>();
        foreach (Match match in CellPattern.Matches(text))
            found.Add(int.Parse(match.Groups[2].Value) * Width + int.Parse(match.Groups[1].Value));
        return found;
    }
}

static class Protocol
{
    public static volatile bool Stop;
    static volatile bool late;
    static readonly BlockingCollection<string> Lines = new BlockingCollection<string>();
    static readonly object Output = new object();

    /// Answers the engine until it is gone.
    public static void Play(Func<State, Step> move, string name)
    {
        new Thread(Read) { IsBackground = true }.Start();
        var options = new Dictionary<string, string>();
        var state = new State();
        var history = new List<Step>();
        bool begun = false;
        foreach (string line in Lines.GetConsumingEnumerable())
        {
            string[] words = Words(line);
            string word = words[0], rest = line.Substring(word.Length).Trim();
            words = words.Skip(1).ToArray();
            switch (word)
            {
                case "pyrat":
                    Say("id name " + name);
                    Say("pyratready");
                    break;
                case "setoption":
                    string[] option = Regex.Split(Regex.Replace(rest, @"^name\s+", ""), @"\s+value\s+");
                    options[option[0]] = option.Length > 1 ? option[1] : "";
                    break;
                case "newgame":
                case "recover":
                    state = new State { Options = options };
                    history.Clear();
                    begun = false;
                    break;
                case "maze":
                    Dictionary<string, string> size = Pairs(words);
                    state.MakeMaze(int.Parse(size["width"]), int.Parse(size["height"]));
                    break;
                case "walls":
                case "mud":
                    foreach (string part in words)
                    {
                        List<int> cells = state.Cells(part);
                        int turns = word == "walls" ? 0 : int.Parse(part.Substring(part.LastIndexOf(':') + 1)) + 1;
                        state.SetCost(cells[0], cells[1], turns);
                    }
                    break;
                case "cheese":
                    state.Cheese = state.Cells(rest);
                    break;
                case "player1":
                    state.Rat.Cell = state.Rat.Target = state.Cells(rest)[0];
                    break;
                case "player2":
                    state.Python.Cell = state.Python.Target = state.Cells(rest)[0];
                    break;
                case "timecontrol":
                    foreach (var limit in Pairs(words)) state.Time[limit.Key] = int.Parse(limit.Value);
                    break;
                case "moves_history":
                    history = words.Select(StepNamed).ToList();
                    begun = true;
                    break;
                case "score":
                    state.Rat.Score = double.Parse(Pairs(words)["rat"], CultureInfo.InvariantCulture);
                    state.Python.Score = double.Parse(Pairs(words)["python"], CultureInfo.InvariantCulture);
                    break;
                case "youare":
                    state.IsRat = rest != "python";
                    if (begun) state.RecoverMud(history);
                    break;
                case "startpreprocessing":
                    Say("preprocessingdone");
                    break;
                case "moves":
                    // The first ones come before the first turn.
                    if (begun) state.DoTurn(StepNamed(Pairs(words)["rat"]), StepNamed(Pairs(words)["python"]));
                    begun = true;
                    break;
                case "go":
                    begun = true;
                    Step step = move(state);
                    // After a time-out the engine has played STAY and does not want this move any more.
                    if (!late) Say("move " + step);
                    break;
                case "ready?":
                    Say("ready");
                    break;
                case "startpostprocessing":
                    Say("postprocessingdone");
                    break;
                    // `debug`, `current_position` and `gameover` tell nothing that this bot needs; what
                    // is not known is ignored.
            }
        }
    }

    /// Reads on a thread of its own: what cannot wait until the thought is over is done here.
    static void Read()
    {
        for (string line; (line = Console.In.ReadLine()) != null;)
        {
            line = line.Trim();
            switch (Words(line).FirstOrDefault())
            {
                case null:
                    break;
                case "isready":
                    Say("readyok");
                    break;
                case "stop":
                    Stop = true;
                    break;
                case "timeout":
                    late = true;
                    Stop = true;
                    break;
                case "go":
                case "startpreprocessing":
                    Stop = late = false;
                    Lines.Add(line);
                    break;
                default:
                    Lines.Add(line);
                    break;
            }
        }
        Stop = true;
        Lines.CompleteAdding();
    }

    static string[] Words(string text) => text.Split(new[] { ' ', '\t' }, StringSplitOptions.RemoveEmptyEntries);

    /// "rat:UP python:LEFT" as a dictionary.
    static Dictionary<string, string> Pairs(string[] words) =>
        words.Select(word => word.Split(new[] { ':' }, 2)).ToDictionary(pair => pair[0], pair => pair[1]);

    static Step StepNamed(string name) => Enum.TryParse(name, out Step step) ? step : Step.STAY;

    /// Writes a line, which leaves at once; both threads do.
    static void Say(string line)
    {
        lock (Output)
        {
            Console.Out.Write(line + "\n");
            Console.Out.Flush();
        }
    }
}
