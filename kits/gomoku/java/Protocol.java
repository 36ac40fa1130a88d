import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
 *
 * Standard output belongs to the protocol: print to System.err, which is kept in the replay.
 */
final class Protocol {
    static final int EMPTY = 0, ME = 1, THEM = 2, FORBIDDEN = 3;
    private static final int LEAST = 5, MOST = 32; // sides of a board
    private static final int[][] DIRECTIONS = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};

    record Cell(int x, int y) {
        @Override
        public String toString() {
            return x + "," + y;
        }
    }

    record Stone(int x, int y, int who) {}

    /** The position in which the bot has to move. */
    static final class State {
        final int width, height;
        /** cells[y][x] is EMPTY, ME, THEM or FORBIDDEN. */
        final int[][] cells;
        /** In the order in which they were played. */
        final List<Stone> stones = new ArrayList<>();
        /** What INFO said: "timeout_turn", "time_left", "rule" and so on. */
        final Map<String, String> info = new HashMap<>();

        State(int width, int height) {
            this.width = width;
            this.height = height;
            cells = new int[height][width];
        }

        boolean inside(int x, int y) {
            return x >= 0 && x < width && y >= 0 && y < height;
        }

        boolean isFree(int x, int y) {
            return inside(x, y) && cells[y][x] == EMPTY;
        }

        /** All cells without a stone, row by row. */
        List<Cell> free() {
            List<Cell> found = new ArrayList<>();
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    if (isFree(x, y)) found.add(new Cell(x, y));
                }
            }
            return found;
        }

        /** How many stones in a row `who` would have through this cell by playing there. */
        int row(int x, int y, int who) {
            int longest = 0;
            for (int[] direction : DIRECTIONS) {
                int count = 1;
                for (int sign = -1; sign <= 1; sign += 2) {
                    int dx = sign * direction[0], dy = sign * direction[1];
                    for (int i = x + dx, j = y + dy; inside(i, j) && cells[j][i] == who; i += dx, j += dy) count++;
                }
                longest = Math.max(longest, count);
            }
            return longest;
        }

        /** How long this move may take, in milliseconds. */
        long timeMs() {
            long least = Integer.MAX_VALUE;
            for (String key : List.of("timeout_turn", "time_left")) {
                String text = info.getOrDefault(key, "");
                long limit = text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
                if (limit > 0) least = Math.min(least, limit);
            }
            return least;
        }

        void clear() {
            for (int[] row : cells) Arrays.fill(row, EMPTY);
            stones.clear();
        }

        void put(int x, int y, int who) {
            cells[y][x] = who;
            stones.add(new Stone(x, y, who));
        }

        void takeBack(int x, int y) {
            cells[y][x] = EMPTY;
            stones.removeIf(stone -> stone.x() == x && stone.y() == y);
        }
    }

    private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    private final Function<State, Cell> move;
    private final String name;
    private State state = new State(0, 0);

    private Protocol(Function<State, Cell> move, String name) {
        this.move = move;
        this.name = name;
    }

    /** Answers the manager until it says END or is gone. */
    static void play(Function<State, Cell> move, String name) throws IOException {
        Protocol protocol = new Protocol(move, name);
        for (String line; (line = protocol.readLine()) != null; ) {
            String[] parts = line.split("\\s+", 2);
            if (parts[0].equalsIgnoreCase("END")) return;
            protocol.handle(parts[0].toUpperCase(), parts.length > 1 ? parts[1] : "");
        }
    }

    private void handle(String word, String rest) throws IOException {
        int[] cell = numbers(rest);
        boolean isCell = cell.length == 2;
        switch (word) {
            case "START", "RECTSTART" -> {
                int sides = word.equals("START") ? 1 : 2;
                boolean fits = Arrays.stream(cell).allMatch(side -> side >= LEAST && side <= MOST);
                if (cell.length == sides && fits) {
                    state = new State(cell[0], cell[sides - 1]);
                    say("OK");
                } else {
                    say("ERROR boards have sides of " + LEAST + " to " + MOST);
                }
            }
            case "RESTART" -> {
                state.clear();
                say("OK");
            }
            case "INFO" -> {
                String[] info = rest.split("\\s+", 2);
                state.info.put(info[0].toLowerCase(), info.length > 1 ? info[1] : "");
            }
            case "BEGIN" -> answer();
            case "TURN" -> {
                if (isCell && state.isFree(cell[0], cell[1])) {
                    state.put(cell[0], cell[1], THEM);
                    answer();
                } else {
                    say("ERROR not a free cell: " + rest);
                }
            }
            case "BOARD" -> {
                state.clear();
                for (int[] stone : untilDone()) {
                    if (stone.length == 3 && state.isFree(stone[0], stone[1])) state.put(stone[0], stone[1], stone[2]);
                }
                answer();
            }
            case "SWAP2BOARD" -> {
                state.clear();
                // Whoever answers with one cell takes White: black stones are the other's then.
                int who = THEM;
                for (int[] stone : untilDone()) {
                    if (stone.length >= 2 && state.isFree(stone[0], stone[1])) state.put(stone[0], stone[1], who);
                    who = who == THEM ? ME : THEM;
                }
                int x = state.width / 2, y = state.height / 2;
                if (state.stones.isEmpty()) say(x + "," + y + " " + (x + 1) + "," + y + " " + (x - 1) + "," + (y + 2));
                else answer();
            }
            // Comes only after SUGGEST, which this bot never says.
            case "PLAY" -> {
                if (isCell && state.isFree(cell[0], cell[1])) {
                    state.put(cell[0], cell[1], ME);
                    say(cell[0] + "," + cell[1]);
                } else {
                    say("ERROR not a free cell: " + rest);
                }
            }
            case "TAKEBACK" -> {
                if (isCell && state.inside(cell[0], cell[1])) {
                    state.takeBack(cell[0], cell[1]);
                    say("OK");
                } else {
                    say("ERROR not a cell: " + rest);
                }
            }
            case "ABOUT" -> say("name=\"" + name + "\", version=\"1.0\", author=\"\", country=\"\"");
            case "" -> { }
            default -> say("UNKNOWN " + word);
        }
    }

    private void answer() {
        if (state.free().isEmpty()) {
            say("ERROR there is no free cell");
            return;
        }
        Cell cell = move.apply(state);
        if (!state.isFree(cell.x(), cell.y())) {
            throw new IllegalStateException("move returned " + cell + ", which is not a free cell");
        }
        state.put(cell.x(), cell.y(), ME);
        say(cell.toString());
    }

    /** A line without blanks at its ends; null at the end of the input. */
    private String readLine() throws IOException {
        String line = input.readLine();
        return line == null ? null : line.strip();
    }

    /** The lines of a position as lists of numbers. */
    private List<int[]> untilDone() throws IOException {
        List<int[]> found = new ArrayList<>();
        for (String line; (line = readLine()) != null && !line.equalsIgnoreCase("DONE"); ) found.add(numbers(line));
        return found;
    }

    /** The numbers of "7,8" or "15"; nothing if it is something else. */
    private static int[] numbers(String text) {
        try {
            return Arrays.stream(text.split(",", -1)).mapToInt(part -> Integer.parseInt(part.strip())).toArray();
        } catch (NumberFormatException error) {
            return new int[0];
        }
    }

    /** Writes a line, which leaves at once. */
    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
