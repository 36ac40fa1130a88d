// Breeds wherever there is room.

static class Strategy
{
    /// A child costs 5 energy; whoever has none left at the end of a tick dies.
    static string Move(State state)
    {
        return state.Energy > 6 && state.Free().Count > 0 ? "replicate" : "rest";
    }

    static void Main() => Protocol.Play(Move);
}
