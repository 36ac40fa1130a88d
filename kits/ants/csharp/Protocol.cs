// The protocol of ants: reads messages, keeps the map, asks `Move` for orders, and writes them.
//
// Standard output belongs to the protocol: print to Console.Error, which is kept in the replay.
using System;
using System.Collections.Generic;
using System.Linq;

struct Cell : IEquatable<Cell>
{
    public readonly int X, Y;

    public Cell(int x, int y)
    {
        X = x;
        Y = y;
    }

    public bool Equals(Cell other) => X == other.X && Y == other.Y;
    public override bool Equals(object other) => other is Cell cell && Equals(cell);
    public override int GetHashCode() => Y * 1000 + X;
}

/// An ant of ours; of a foreign one only place, direction and brain are known.
sealed class Ant
{
    public int Id, X, Y, Dx, Dy, Energy, Acid, Brain;

    public Cell Cell => new Cell(X, Y);

    /// The cell in front of it.
    public Cell Ahead => new Cell(X + Dx, Y + Dy);
}

/// A goal, and the order that leads there.
sealed class Way
{
    public Cell Goal;
    public string Order;
}

/// What the colony knows. (0, 0) is at the top left, y grows downwards.
sealed class State
{
    public const int Unknown = -1, Grass = 0, Sugar = 1, Rock = 2, Mill = 3, Water = 4, Meat = 5;
    /// Brains: this program's, another program's of the same player, none.
    public const int Controlled = 1, ForeignProgram = 2, Dead = 3;

    public int Turn, Players;
    /// Of this player, also dead ones and those of its other programs.
    public readonly List<Ant> Ants = new List<Ant>();
    /// Living ones that this program commands.
    public readonly List<Ant> Mine = new List<Ant>();
    /// Of other players, in sight; only in version 2 of the protocol.
    public readonly List<Ant> Foreign = new List<Ant>();
    /// Of what is known.
    public int Width, Height;
    /// As last seen.
    public readonly Dictionary<Cell, int> Cells = new Dictionary<Cell, int>();
    /// Where our ants have been.
    public readonly HashSet<Cell> Visited = new HashSet<Cell>();

    /// What is in a cell; Unknown where nobody has looked.
    public int At(Cell cell) => Cells.TryGetValue(cell, out int content) ? content : Unknown;

    public bool IsFood(Cell cell)
    {
        int content = At(cell);
        return content == Sugar || content == Mill || content == Meat;
    }

    /// Whether an ant there would see something new.
    public bool IsNews(Cell cell)
    {
        if (Visited.Contains(cell)) return false;
        for (int x = Math.Max(cell.X - 1, 0); x <= cell.X + 1; x++)
            for (int y = Math.Max(cell.Y - 1, 0); y <= cell.Y + 1; y++)
                if (At(new Cell(x, y)) == Unknown) return true;
        return false;
    }

    public bool IsEnemy(Cell cell) => Foreign.Any(ant => ant.Cell.Equals(cell));

    /// Whether a living ant stands there.
    public bool IsTaken(Cell cell) => IsEnemy(cell) || Ants.Any(ant => ant.Brain != Dead && ant.Cell.Equals(cell));

    /// The nearest cell that is wanted; null if there is none.
    public Way Nearest(Ant ant, Func<Cell, bool> wanted)
    {
        Cell start = ant.Cell;
        var first = new Dictionary<Cell, Cell> { { start, start } };
        var queue = new Queue<Cell>(new[] { start });
        Cell[] steps = { new Cell(ant.Dx, ant.Dy), new Cell(1, 0), new Cell(0, 1), new Cell(-1, 0), new Cell(0, -1) };
        while (queue.Count > 0)
        {
            Cell cell = queue.Dequeue();
            bool atStart = cell.Equals(start);
            if (!atStart && wanted(cell)) return new Way { Goal = cell, Order = Towards(ant, first[cell]) };
            foreach (Cell step in steps)
            {
                var to = new Cell(cell.X + step.X, cell.Y + step.Y);
                int content = At(to);
                if (content == Unknown || content == Rock || content == Water || first.ContainsKey(to)) continue;
                // Other ants are in the way of the next step only: they move on.
                if (atStart && IsTaken(to)) continue;
                first[to] = atStart ? to : first[cell];
                queue.Enqueue(to);
            }
        }
        return null;
    }

    /// The order that brings an ant to a cell beside it.
    public static string Towards(Ant ant, Cell cell)
    {
        int dx = cell.X - ant.X, dy = cell.Y - ant.Y;
        if (dx == ant.Dx && dy == ant.Dy) return "forward";
        return dx == ant.Dy && dy == -ant.Dx ? "left" : "right";
    }
}

/// Orders by id: "forward", "left", "right", "rest" or "attack@20". An ant without one rests.
sealed class Orders : List<KeyValuePair<int, string>>
{
    public void Add(int id, string order) => Add(new KeyValuePair<int, string>(id, order));
}

static class Protocol
{
    /// Answers every message until the game is over.
    public static void Play(Func<State, Orders> move)
    {
        var state = new State();
        while (Read(state))
        {
            Console.Out.Write(string.Join(",", move(state).Select(order => order.Key + ":" + order.Value)) + "\n");
            Console.Out.Flush();
        }
    }

    /// Reads one message; false at the end of the input, and for the last one, which is not answered.
    static bool Read(State state)
    {
        int[] header = Numbers();
        if (header.Length < 4) return false;
        state.Turn = header[0];
        state.Players = header[2];
        state.Ants.Clear();
        state.Mine.Clear();
        state.Foreign.Clear();
        // The published version has five numbers, and a line of ids. Version 2 has four, an id in each
        // ant's line, and foreign ants.
        bool published = header.Length == 5;
        int[] ids = published ? Numbers() : new int[0];
        for (int i = 0; i < header[1]; i++)
        {
            int[] n = Numbers();
            int s = published ? 0 : 1;
            var ant = new Ant
            {
                Id = published ? i : n[0], X = n[s], Y = n[s + 1], Dx = n[s + 2], Dy = n[s + 3],
                Energy = n[s + 4], Acid = n[s + 5], Brain = n[s + 6],
            };
            state.Ants.Add(ant);
            if ((!published || ids.Contains(i)) && ant.Brain == State.Controlled) state.Mine.Add(ant);
            if (ant.Brain != State.Dead) state.Visited.Add(ant.Cell);
        }
        if (!published)
        {
            for (int left = Numbers()[0]; left > 0; left--)
            {
                int[] n = Numbers();
                state.Foreign.Add(new Ant { Id = -1, X = n[0], Y = n[1], Dx = n[2], Dy = n[3], Brain = n[4] });
            }
        }
        int[] size = Numbers();
        state.Width = size[0];
        state.Height = size[1];
        for (int left = size[2]; left > 0; left--)
        {
            int[] point = Numbers();
            state.Cells[new Cell(point[0], point[1])] = point[2];
        }
        return header[3] == 1;
    }

    /// A line of numbers; empty at the end of the input.
    static int[] Numbers()
    {
        string line = Console.In.ReadLine() ?? "";
        string[] words = line.Split(new[] { ' ', '\t' }, StringSplitOptions.RemoveEmptyEntries);
        return words.Select(int.Parse).ToArray();
    }
}
