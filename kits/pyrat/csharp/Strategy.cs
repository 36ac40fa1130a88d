// Goes for the nearest cheese.

static class Strategy
{
    /// The first step on the way to the cheese that is reached in the fewest turns.
    static Step Move(State state)
    {
        Ways ways = state.Ways(state.Me.Cell);
        int nearest = state.Me.Cell, fewest = State.Far;
        foreach (int cell in state.Cheese)
        {
            if (ways.Turns[cell] >= fewest) continue;
            fewest = ways.Turns[cell];
            nearest = cell;
        }
        return ways.First[nearest];
    }

    static void Main() => Protocol.Play(Move, "mybot");
}
