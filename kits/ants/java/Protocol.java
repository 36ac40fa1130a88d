import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.StringTokenizer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
 *
 * Standard output belongs to the protocol: print to System.err, which is kept in the replay.
 */
final class Protocol {
    static final int UNKNOWN = -1, GRASS = 0, SUGAR = 1, ROCK = 2, MILL = 3, WATER = 4, MEAT = 5;
    /** Brains: this program's, another program's of the same player, none. */
    static final int CONTROLLED = 1, FOREIGN_PROGRAM = 2, DEAD = 3;
    /** No map is wider or higher. */
    private static final int MOST = 300;

    record Cell(int x, int y) {}

    /** An ant of ours; of a foreign one only place, direction and brain are known. */
    record Ant(int id, int x, int y, int dx, int dy, int energy, int acid, int brain) {
        Cell cell() {
            return new Cell(x, y);
        }

        /** The cell in front of it. */
        Cell ahead() {
            return new Cell(x + dx, y + dy);
        }
    }

    record Way(Cell goal, String order) {}

    /** What the colony knows. (0, 0) is at the top left, y grows downwards. */
    static final class State {
        int turn, players;
        /** Of what is known. */
        int width, height;
        /** Of this player, also dead ones and those of its other programs. */
        final List<Ant> ants = new ArrayList<>();
        /** Living ones that this program commands. */
        final List<Ant> mine = new ArrayList<>();
        /** Of other players, in sight; only in version 2 of the protocol. */
        final List<Ant> foreign = new ArrayList<>();
        /** Where our ants have been. */
        final Set<Cell> visited = new HashSet<>();
        /** By y * 300 + x, as last seen. */
        private final int[] cells = new int[MOST * MOST];

        private State() {
            Arrays.fill(cells, UNKNOWN);
        }

        /** What is in a cell; UNKNOWN where nobody has looked. */
        int at(int x, int y) {
            return x >= 0 && y >= 0 && x < MOST && y < MOST ? cells[y * MOST + x] : UNKNOWN;
        }

        boolean isFood(Cell cell) {
            int content = at(cell.x(), cell.y());
            return content == SUGAR || content == MILL || content == MEAT;
        }

        /** Whether an ant there would see something new. */
        boolean isNews(Cell cell) {
            if (visited.contains(cell)) return false;
            for (int x = Math.max(cell.x() - 1, 0); x <= cell.x() + 1; x++) {
                for (int y = Math.max(cell.y() - 1, 0); y <= cell.y() + 1; y++) {
                    if (at(x, y) == UNKNOWN) return true;
                }
            }
            return false;
        }

        boolean isEnemy(Cell cell) {
            return foreign.stream().anyMatch(ant -> ant.cell().equals(cell));
        }

        /** Whether a living ant stands there. */
        boolean isTaken(Cell cell) {
            return isEnemy(cell) || ants.stream().anyMatch(ant -> ant.brain() != DEAD && ant.cell().equals(cell));
        }

        /** The nearest cell that is wanted, and the order that leads there. */
        Optional<Way> nearest(Ant ant, Predicate<Cell> wanted) {
            Cell start = ant.cell();
            Map<Cell, Cell> first = new HashMap<>(Map.of(start, start));
            ArrayDeque<Cell> queue = new ArrayDeque<>(List.of(start));
            int[][] steps = {{ant.dx(), ant.dy()}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}};
            while (!queue.isEmpty()) {
                Cell cell = queue.poll();
                boolean atStart = cell.equals(start);
                if (!atStart && wanted.test(cell)) return Optional.of(new Way(cell, towards(ant, first.get(cell))));
                for (int[] step : steps) {
                    Cell to = new Cell(cell.x() + step[0], cell.y() + step[1]);
                    int content = at(to.x(), to.y());
                    boolean blocked = content == UNKNOWN || content == ROCK || content == WATER;
                    // Other ants are in the way of the next step only: they move on.
                    if (blocked || first.containsKey(to) || (atStart && isTaken(to))) continue;
                    first.put(to, atStart ? to : first.get(cell));
                    queue.add(to);
                }
            }
            return Optional.empty();
        }

        /** The order that brings an ant to a cell beside it. */
        static String towards(Ant ant, Cell cell) {
            int dx = cell.x() - ant.x(), dy = cell.y() - ant.y();
            if (dx == ant.dx() && dy == ant.dy()) return "forward";
            return dx == ant.dy() && dy == -ant.dx() ? "left" : "right";
        }
    }

    private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    private final State state = new State();

    private Protocol() {}

    /**
     * Answers every message until the game is over. `move` returns an order for each id: "forward", "left",
     * "right", "rest" or "attack@20"; an ant without one rests.
     */
    static void play(Function<State, LinkedHashMap<Integer, String>> move) throws IOException {
        Protocol protocol = new Protocol();
        while (protocol.read()) {
            StringJoiner orders = new StringJoiner(",");
            move.apply(protocol.state).forEach((id, order) -> orders.add(id + ":" + order));
            System.out.println(orders);
            System.out.flush();
        }
    }

    /** Reads one message; false at the end of the input, and for the last one, which is not answered. */
    private boolean read() throws IOException {
        int[] header = numbers();
        if (header.length < 4) return false;
        state.turn = header[0];
        state.players = header[2];
        state.ants.clear();
        state.mine.clear();
        state.foreign.clear();
        // The published version has five numbers, and a line of ids. Version 2 has four, an id in each
        // ant's line, and foreign ants.
        boolean published = header.length == 5;
        int[] ids = published ? numbers() : new int[0];
        for (int i = 0; i < header[1]; i++) {
            int[] n = numbers();
            int id = published ? i : n[0], s = published ? 0 : 1;
            Ant ant = new Ant(id, n[s], n[s + 1], n[s + 2], n[s + 3], n[s + 4], n[s + 5], n[s + 6]);
            boolean isMine = !published || Arrays.stream(ids).anyMatch(own -> own == id);
            state.ants.add(ant);
            if (isMine && ant.brain() == CONTROLLED) state.mine.add(ant);
        }
        if (!published) {
            for (int left = numbers()[0]; left > 0; left--) {
                int[] n = numbers();
                state.foreign.add(new Ant(-1, n[0], n[1], n[2], n[3], 0, 0, n[4]));
            }
        }
        int[] size = numbers();
        state.width = size[0];
        state.height = size[1];
        for (int left = size[2]; left > 0; left--) {
            int[] point = numbers();
            state.cells[point[1] * MOST + point[0]] = point[2];
        }
        state.ants.stream().filter(ant -> ant.brain() != DEAD).forEach(ant -> state.visited.add(ant.cell()));
        return header[3] == 1;
    }

    /** A line of numbers; empty at the end of the input. */
    private int[] numbers() throws IOException {
        String line = input.readLine();
        StringTokenizer words = new StringTokenizer(line == null ? "" : line);
        int[] found = new int[words.countTokens()];
        for (int i = 0; i < found.length; i++) found[i] = Integer.parseInt(words.nextToken());
        return found;
    }
}
