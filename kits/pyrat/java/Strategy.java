/** Goes for the nearest cheese. */
final class Strategy {
    /** The first step on the way to the cheese that is reached in the fewest turns. */
    static Protocol.Step move(Protocol.State state) {
        Protocol.Ways ways = state.ways(state.me().cell);
        int nearest = state.me().cell;
        int fewest = Protocol.FAR;
        for (int cell : state.cheese) {
            if (ways.turns()[cell] < fewest) {
                fewest = ways.turns()[cell];
                nearest = cell;
            }
        }
        return ways.first()[nearest];
    }

    public static void main(String[] args) throws Exception {
        Protocol.play(Strategy::move, "mybot");
    }
}
