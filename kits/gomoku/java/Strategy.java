/** Plays where the longest row would be, its own or the opponent's. */
final class Strategy {
    /** The best free cell: five of mine, five of theirs, four of mine, … and then near the middle. */
    static Protocol.Cell move(Protocol.State state) {
        Protocol.Cell best = null;
        int most = Integer.MIN_VALUE;
        for (Protocol.Cell cell : state.free()) {
            int mine = 2 * state.row(cell.x(), cell.y(), Protocol.ME) + 1;
            int theirs = 2 * state.row(cell.x(), cell.y(), Protocol.THEM);
            int off = Math.abs(cell.x() - state.width / 2) + Math.abs(cell.y() - state.height / 2);
            int value = 1000 * Math.max(mine, theirs) - off;
            if (value > most) {
                most = value;
                best = cell;
            }
        }
        return best;
    }

    public static void main(String[] args) throws Exception {
        Protocol.play(Strategy::move, "mybot");
    }
}
