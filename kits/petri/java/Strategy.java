/** Breeds wherever there is room. */
final class Strategy {
    /** A child costs 5 energy; whoever has none left at the end of a tick dies. */
    static String move(Protocol.State state) {
        return state.energy > 6 && !state.free().isEmpty() ? "replicate" : "rest";
    }

    public static void main(String[] args) throws Exception {
        Protocol.play(Strategy::move);
    }
}
