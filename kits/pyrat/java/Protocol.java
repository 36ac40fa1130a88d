import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
 *
 * A thread reads while the bot thinks, so that `isready` and `stop` are heard: a long thought asks
 * `state.stopped()` now and then. Standard output belongs to the protocol: print to System.err, which
 * is kept in the replay.
 */
final class Protocol {
    /** Turns to a cell that cannot be reached. */
    static final int FAR = 1_000_000;

    enum Step {
        UP(0, 1),
        DOWN(0, -1),
        LEFT(-1, 0),
        RIGHT(1, 0),
        STAY(0, 0);

        final int dx, dy;

        Step(int dx, int dy) {
            this.dx = dx;
            this.dy = dy;
        }

        static Step named(String name) {
            return Arrays.stream(values()).filter(step -> step.name().equals(name)).findFirst().orElse(STAY);
        }
    }

    static final class Player {
        int cell;
        /** While it is in mud: the cell it will arrive at. */
        int target;
        /** Turns until then; its moves are ignored meanwhile. */
        int mud;
        double score;
    }

    /** A move that leads out of a cell. */
    record Exit(Step step, int to, int turns) {}

    /** For every cell: in how many turns it is reached, and by which first step. */
    record Ways(int[] turns, Step[] first) {}

    /** The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left. */
    static final class State {
        int width, height, turn;
        List<Integer> cheese = new ArrayList<>();
        final Player rat = new Player(), python = new Player();
        boolean isRat = true;
        /** Limits in milliseconds: "move", "preprocessing", "postprocessing". */
        final Map<String, Integer> time = new HashMap<>();
        /** What setoption said. */
        Map<String, String> options = new HashMap<>();
        /** Turns that each of the four steps takes; 0: there is a wall. */
        private int[][] costs;

        Player me() {
            return isRat ? rat : python;
        }

        Player other() {
            return isRat ? python : rat;
        }

        /** Whether a thought has to end. */
        boolean stopped() {
            return stop;
        }

        /** The moves that lead out of a cell. */
        List<Exit> exits(int cell) {
            List<Exit> found = new ArrayList<>(4);
            for (int i = 0; i < 4; i++) {
                Step step = Step.values()[i];
                if (costs[cell][i] > 0) found.add(new Exit(step, cell + step.dy * width + step.dx, costs[cell][i]));
            }
            return found;
        }

        /** The ways from a cell to all others. */
        Ways ways(int start) {
            int[] turns = new int[width * height];
            Step[] first = new Step[width * height];
            Arrays.fill(turns, FAR);
            Arrays.fill(first, Step.STAY);
            turns[start] = 0;
            ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(start));
            while (!queue.isEmpty()) {
                int cell = queue.poll();
                for (Exit exit : exits(cell)) {
                    if (turns[cell] + exit.turns() >= turns[exit.to()]) continue;
                    turns[exit.to()] = turns[cell] + exit.turns();
                    first[exit.to()] = cell == start ? exit.step() : first[cell];
                    queue.add(exit.to());
                }
            }
            return new Ways(turns, first);
        }

        // ---- keeping track ----

        private void makeMaze(int width, int height) {
            this.width = width;
            this.height = height;
            costs = new int[width * height][4];
            for (int cell = 0; cell < width * height; cell++) {
                for (int i = 0; i < 4; i++) {
                    int x = cell % width + Step.values()[i].dx, y = cell / width + Step.values()[i].dy;
                    costs[cell][i] = x >= 0 && x < width && y >= 0 && y < height ? 1 : 0;
                }
            }
        }

        /** Between two cells, in both directions. */
        private void setCost(int a, int b, int turns) {
            for (int[] pair : new int[][] {{a, b}, {b, a}}) {
                for (Exit exit : exits(pair[0])) {
                    if (exit.to() == pair[1]) costs[pair[0]][exit.step().ordinal()] = turns;
                }
            }
        }

        /** One turn of one player: it moves, or struggles on in the mud whatever its move is. */
        private void advance(Player player, Step step) {
            Optional<Exit> exit = exits(player.cell).stream().filter(e -> e.step() == step).findFirst();
            if (player.mud > 0) {
                player.mud--;
            } else if (exit.isPresent()) {
                player.target = exit.get().to();
                player.mud = exit.get().turns() - 1;
            }
            if (player.mud == 0) player.cell = player.target;
        }

        /** One turn of the game. */
        private void step(Step rats, Step pythons) {
            turn++;
            advance(rat, rats);
            advance(python, pythons);
            List<Player> eaters = new ArrayList<>(List.of(rat, python));
            eaters.removeIf(player -> player.mud > 0 || !cheese.contains(player.cell));
            boolean shared = eaters.size() == 2 && rat.cell == python.cell;
            for (Player player : eaters) {
                player.score += shared ? 0.5 : 1;
                cheese.remove(Integer.valueOf(player.cell));
            }
        }

        /**
         * After a restart: the history of moves tells who is how deep in mud. A walk along it from the
         * right start ends where the player is now. Usually the start is the player's corner.
         */
        private void recoverMud(List<Step> history) {
            turn = history.size() / 2;
            int last = width * height - 1;
            for (int number = 0; number < 2; number++) {
                Player player = number == 0 ? rat : python;
                for (int i = -1; i <= last; i++) {
                    Player walker = new Player();
                    walker.cell = walker.target = i >= 0 ? i : number == 0 ? 0 : last;
                    for (int at = number; at < history.size(); at += 2) advance(walker, history.get(at));
                    if (walker.cell != player.cell) continue;
                    player.target = walker.target;
                    player.mud = walker.mud;
                    break;
                }
            }
        }

        /** The cells in a text: "(0,0)-(0,1)". */
        private List<Integer> cells(String text) {
            List<Integer> found = new ArrayList<>();
            Matcher matcher = CELL.matcher(text);
            while (matcher.find()) {
                found.add(Integer.parseInt(matcher.group(2)) * width + Integer.parseInt(matcher.group(1)));
            }
            return found;
        }
    }

    private static final Pattern CELL = Pattern.compile("\\((\\d+),(\\d+)\\)");
    private static final String OVER = "";
    private static volatile boolean stop, late;
    private static final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private final Function<State, Step> move;
    private final String name;
    private final Map<String, String> options = new HashMap<>();
    private State state = new State();
    private List<Step> history = List.of();
    private boolean begun;

    private Protocol(Function<State, Step> move, String name) {
        this.move = move;
        this.name = name;
    }

    /** Answers the engine until it is gone. */
    static void play(Function<State, Step> move, String name) throws InterruptedException {
        Thread reader = new Thread(Protocol::read);
        reader.setDaemon(true);
        reader.start();
        Protocol protocol = new Protocol(move, name);
        for (String line; !(line = lines.take()).equals(OVER); ) {
            String[] parts = line.split("\\s+", 2);
            protocol.handle(parts[0], parts.length > 1 ? parts[1] : "");
        }
    }

    /** Reads on a thread of its own: what cannot wait until the thought is over is done here. */
    private static void read() {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line; (line = input.readLine()) != null; ) {
                line = line.strip();
                String word = line.split("\\s+", 2)[0];
                switch (word) {
                    case "" -> { }
                    case "isready" -> say("readyok");
                    case "stop" -> stop = true;
                    case "timeout" -> stop = late = true;
                    default -> {
                        if (word.equals("go") || word.equals("startpreprocessing")) stop = late = false;
                        lines.add(line);
                    }
                }
            }
        } catch (IOException error) {
            System.err.println(error);
        }
        stop = true;
        lines.add(OVER);
    }

    private void handle(String word, String rest) {
        switch (word) {
            case "pyrat" -> {
                say("id name " + name);
                say("pyratready");
            }
            case "setoption" -> {
                String[] option = rest.replaceFirst("^name\\s+", "").split("\\s+value\\s+", 2);
                options.put(option[0], option.length > 1 ? option[1] : "");
            }
            case "newgame", "recover" -> {
                state = new State();
                state.options = options;
                history = List.of();
                begun = false;
            }
            case "maze" -> {
                Map<String, String> size = pairs(rest);
                state.makeMaze(Integer.parseInt(size.get("width")), Integer.parseInt(size.get("height")));
            }
            case "walls", "mud" -> {
                for (String part : words(rest)) {
                    List<Integer> cells = state.cells(part);
                    String mud = part.substring(part.lastIndexOf(':') + 1);
                    state.setCost(cells.get(0), cells.get(1), word.equals("walls") ? 0 : Integer.parseInt(mud) + 1);
                }
            }
            case "cheese" -> state.cheese = state.cells(rest);
            case "player1" -> state.rat.cell = state.rat.target = state.cells(rest).get(0);
            case "player2" -> state.python.cell = state.python.target = state.cells(rest).get(0);
            case "timecontrol" -> pairs(rest).forEach((key, ms) -> state.time.put(key, Integer.parseInt(ms)));
            case "moves_history" -> {
                history = words(rest).stream().map(Step::named).toList();
                begun = true;
            }
            case "score" -> {
                state.rat.score = Double.parseDouble(pairs(rest).get("rat"));
                state.python.score = Double.parseDouble(pairs(rest).get("python"));
            }
            case "youare" -> {
                state.isRat = !rest.equals("python");
                if (begun) state.recoverMud(history);
            }
            case "startpreprocessing" -> say("preprocessingdone");
            case "moves" -> {
                Map<String, String> moves = pairs(rest);
                // The first ones come before the first turn.
                if (begun) state.step(Step.named(moves.get("rat")), Step.named(moves.get("python")));
                begun = true;
            }
            case "go" -> {
                begun = true;
                Step step = move.apply(state);
                // After a time-out the engine has played STAY and does not want this move any more.
                if (!late) say("move " + step);
            }
            case "ready?" -> say("ready");
            case "startpostprocessing" -> say("postprocessingdone");
            // `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is not
            // known is ignored.
            default -> { }
        }
    }

    private static List<String> words(String text) {
        return Arrays.stream(text.split("\\s+")).filter(word -> !word.isEmpty()).toList();
    }

    /** "rat:UP python:LEFT" as a map. */
    private static Map<String, String> pairs(String text) {
        Map<String, String> found = new HashMap<>();
        for (String word : words(text)) {
            String[] parts = word.split(":", 2);
            if (parts.length == 2) found.put(parts[0], parts[1]);
        }
        return found;
    }

    /** Writes a line, which leaves at once; both threads do. */
    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
