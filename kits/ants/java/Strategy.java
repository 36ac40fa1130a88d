import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Set;

/** Sends every ant to the nearest food, or to where it sees something new. */
final class Strategy {
    /** An order for each ant; two ants never go for the same cell. */
    static LinkedHashMap<Integer, String> move(Protocol.State state) {
        LinkedHashMap<Integer, String> orders = new LinkedHashMap<>();
        Set<Protocol.Cell> goals = new HashSet<>();
        for (Protocol.Ant ant : state.mine) {
            if (state.isEnemy(ant.ahead()) && ant.acid() > 0) {
                orders.put(ant.id(), "attack@" + ant.acid());
                continue;
            }
            state.nearest(ant, cell -> state.isFood(cell) && !goals.contains(cell))
                    .or(() -> state.nearest(ant, cell -> state.isNews(cell) && !goals.contains(cell)))
                    .ifPresent(way -> {
                        goals.add(way.goal());
                        orders.put(ant.id(), way.order());
                    });
        }
        return orders;
    }

    public static void main(String[] args) throws Exception {
        Protocol.play(Strategy::move);
    }
}
