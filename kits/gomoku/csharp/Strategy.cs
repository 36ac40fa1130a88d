// Plays where the longest row would be, its own or the opponent's.
using System;

static class Strategy
{
    /// The best free cell: five of mine, five of theirs, four of mine, … and then near the middle.
    static Cell Move(State state)
    {
        var best = new Cell();
        int most = int.MinValue;
        foreach (Cell cell in state.Free())
        {
            int row = Math.Max(2 * state.Row(cell.X, cell.Y, State.Me) + 1, 2 * state.Row(cell.X, cell.Y, State.Them));
            int value = 1000 * row - Math.Abs(cell.X - state.Width / 2) - Math.Abs(cell.Y - state.Height / 2);
            if (value > most)
            {
                most = value;
                best = cell;
            }
        }
        return best;
    }

    static void Main() => Protocol.Play(Move, "mybot");
}
