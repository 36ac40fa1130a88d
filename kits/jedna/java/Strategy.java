/** Gets rid of the dearest card, and keeps wild cards for later. */
final class Strategy {
    /** The dearest card that may be played, wild ones last; null draws (or passes). */
    static Protocol.Move move(Protocol.State state) {
        String best = null;
        for (String card : state.playableCards) {
            if (best == null || value(card) > value(best)) best = card;
        }
        return best == null ? null : new Protocol.Move(best, state.favouriteColor());
    }

    static int value(String card) {
        return Protocol.isWild(card) ? 0 : 100 + Protocol.points(card);
    }

    public static void main(String[] args) throws Exception {
        Protocol.play(Strategy::move);
    }
}
