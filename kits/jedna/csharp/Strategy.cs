// Gets rid of the dearest card, and keeps wild cards for later.

static class Strategy
{
    /// The dearest card that may be played, wild ones last; null draws (or passes).
    static Choice Move(State state)
    {
        string best = null;
        foreach (string card in state.PlayableCards)
            if (best == null || Value(card) > Value(best)) best = card;
        return best == null ? null : new Choice { Card = best, Color = state.FavouriteColor() };
    }

    static int Value(string card) => Protocol.IsWild(card) ? 0 : 100 + Protocol.Points(card);

    static void Main() => Protocol.Play(Move);
}
