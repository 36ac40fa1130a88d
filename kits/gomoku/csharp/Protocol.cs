// The protocol of gomoku: hears the manager, keeps the board, and asks `Move` for a cell.
//
// Standard output belongs to the protocol: print to Console.Error, which is kept in the replay.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

struct Cell
{
    public readonly int X, Y;

    public Cell(int x, int y)
    {
        X = x;
        Y = y;
    }

    public override string ToString() => X + "," + Y;
}

struct Stone
{
    public int X, Y, Who;
}

/// The position in which the bot has to move.
sealed class State
{
    public const int Empty = 0, Me = 1, Them = 2, Forbidden = 3;
    static readonly int[][] Directions = { new[] { 1, 0 }, new[] { 0, 1 }, new[] { 1, 1 }, new[] { 1, -1 } };

    public readonly int Width, Height;
    /// Cells[y, x] is Empty, Me, Them or Forbidden.
    public readonly int[,] Cells;
    /// In the order in which they were played.
    public readonly List<Stone> Stones = new List<Stone>();
    /// What INFO said: "timeout_turn", "time_left", "rule" and so on.
    public readonly Dictionary<string, string> Info = new Dictionary<string, string>();

    public State(int width, int height)
    {
        Width = width;
        Height = height;
        Cells = new int[height, width];
    }

    public bool Inside(int x, int y) => x >= 0 && x < Width && y >= 0 && y < Height;

    public bool IsFree(int x, int y) => Inside(x, y) && Cells[y, x] == Empty;

    /// All cells without a stone, row by row.
    public List<Cell> Free()
    {
        var found = new List<Cell>();
        for (int y = 0; y < Height; y++)
            for (int x = 0; x < Width; x++)
                if (IsFree(x, y)) found.Add(new Cell(x, y));
        return found;
    }

    /// How many stones in a row `who` would have through this cell by playing there.
    public int Row(int x, int y, int who)
    {
        int longest = 0;
        foreach (int[] direction in Directions)
        {
            int count = 1;
            for (int sign = -1; sign <= 1; sign += 2)
            {
                int dx = sign * direction[0], dy = sign * direction[1];
                for (int i = x + dx, j = y + dy; Inside(i, j) && Cells[j, i] == who; i += dx, j += dy) count++;
            }
            longest = Math.Max(longest, count);
        }
        return longest;
    }

    /// How long this move may take, in milliseconds.
    public long TimeMs()
    {
        long least = int.MaxValue;
        foreach (string key in new[] { "timeout_turn", "time_left" })
            if (Info.TryGetValue(key, out string text) && long.TryParse(text, out long limit) && limit > 0)
                least = Math.Min(least, limit);
        return least;
    }

    public void Clear()
    {
        Array.Clear(Cells, 0, Cells.Length);
        Stones.Clear();
    }

    public void Put(int x, int y, int who)
    {
        Cells[y, x] = who;
        Stones.Add(new Stone { X = x, Y = y, Who = who });
    }

    public void TakeBack(int x, int y)
    {
        Cells[y, x] = Empty;
        Stones.RemoveAll(stone => stone.X == x && stone.Y == y);
    }
}

static class Protocol
{
    const int Least = 5, Most = 32; // sides of a board

    /// Answers the manager until it says END or is gone.
    public static void Play(Func<State, Cell> move, string name)
    {
        TextReader input = Console.In;
        var state = new State(0, 0);
        for (string line; (line = input.ReadLine()) != null;)
        {
            string[] parts = line.Trim().Split(new[] { ' ', '\t' }, 2);
            string word = parts[0].ToUpperInvariant(), rest = parts.Length > 1 ? parts[1].Trim() : "";
            int[] cell = Numbers(rest);
            bool isCell = cell.Length == 2;
            switch (word)
            {
                case "START":
                case "RECTSTART":
                    int sides = word == "START" ? 1 : 2;
                    if (cell.Length == sides && cell.All(side => side >= Least && side <= Most))
                    {
                        state = new State(cell[0], cell[sides - 1]);
                        Say("OK");
                    }
                    else Say("ERROR boards have sides of " + Least + " to " + Most);
                    break;
                case "RESTART":
                    state.Clear();
                    Say("OK");
                    break;
                case "INFO":
                    string[] info = rest.Split(new[] { ' ', '\t' }, 2);
                    state.Info[info[0].ToLowerInvariant()] = info.Length > 1 ? info[1].Trim() : "";
                    break;
                case "BEGIN":
                    Answer(state, move);
                    break;
                case "TURN":
                    if (isCell && state.IsFree(cell[0], cell[1]))
                    {
                        state.Put(cell[0], cell[1], State.Them);
                        Answer(state, move);
                    }
                    else Say("ERROR not a free cell: " + rest);
                    break;
                case "BOARD":
                    state.Clear();
                    foreach (int[] stone in UntilDone(input))
                        if (stone.Length == 3 && state.IsFree(stone[0], stone[1]))
                            state.Put(stone[0], stone[1], stone[2]);
                    Answer(state, move);
                    break;
                case "SWAP2BOARD":
                    state.Clear();
                    // Whoever answers with one cell takes White: black stones are the other's then.
                    int who = State.Them;
                    foreach (int[] stone in UntilDone(input))
                    {
                        if (stone.Length >= 2 && state.IsFree(stone[0], stone[1])) state.Put(stone[0], stone[1], who);
                        who = who == State.Them ? State.Me : State.Them;
                    }
                    int x = state.Width / 2, y = state.Height / 2;
                    if (state.Stones.Count > 0) Answer(state, move);
                    else Say(new Cell(x, y) + " " + new Cell(x + 1, y) + " " + new Cell(x - 1, y + 2));
                    break;
                case "PLAY": // comes only after SUGGEST, which this bot never says
                    if (isCell && state.IsFree(cell[0], cell[1]))
                    {
                        state.Put(cell[0], cell[1], State.Me);
                        Say(cell[0] + "," + cell[1]);
                    }
                    else Say("ERROR not a free cell: " + rest);
                    break;
                case "TAKEBACK":
                    if (isCell && state.Inside(cell[0], cell[1]))
                    {
                        state.TakeBack(cell[0], cell[1]);
                        Say("OK");
                    }
                    else Say("ERROR not a cell: " + rest);
                    break;
                case "ABOUT":
                    Say("name=\"" + name + "\", version=\"1.0\", author=\"\", country=\"\"");
                    break;
                case "END":
                    return;
                case "":
                    break;
                default:
                    Say("UNKNOWN " + word);
                    break;
            }
        }
    }

    static void Answer(State state, Func<State, Cell> move)
    {
        if (state.Free().Count == 0)
        {
            Say("ERROR there is no free cell");
            return;
        }
        Cell cell = move(state);
        if (!state.IsFree(cell.X, cell.Y))
            throw new InvalidOperationException("Move returned " + cell + ", which is not a free cell");
        state.Put(cell.X, cell.Y, State.Me);
        Say(cell.ToString());
    }

    /// The lines of a position as lists of numbers.
    static List<int[]> UntilDone(TextReader input)
    {
        var found = new List<int[]>();
        for (string line; (line = input.ReadLine()) != null && line.Trim().ToUpperInvariant() != "DONE";)
            found.Add(Numbers(line));
        return found;
    }

    /// The numbers of "7,8" or "15"; nothing if it is something else.
    static int[] Numbers(string text)
    {
        var found = new List<int>();
        foreach (string part in text.Split(','))
        {
            if (!int.TryParse(part.Trim(), out int number)) return new int[0];
            found.Add(number);
        }
        return found.ToArray();
    }

    /// Writes a line, which leaves at once.
    static void Say(string line)
    {
        Console.Out.Write(line + "\n");
        Console.Out.Flush();
    }
}
