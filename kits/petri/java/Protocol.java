import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
 *
 * Every agent is a process of its own, from its birth to its death: variables last as long as it
 * does. Standard output belongs to the protocol: print to System.err, which is kept in the replay.
 */
final class Protocol {
    /** The eight directions, with their steps: north is y - 1. */
    enum Direction {
        NORTH_WEST(-1, -1),
        NORTH(0, -1),
        NORTH_EAST(1, -1),
        WEST(-1, 0),
        EAST(1, 0),
        SOUTH_WEST(-1, 1),
        SOUTH(0, 1),
        SOUTH_EAST(1, 1);

        final int dx, dy;

        Direction(int dx, int dy) {
            this.dx = dx;
            this.dy = dy;
        }

        @Override
        public String toString() {
            return name().toLowerCase();
        }
    }

    /** A cell beside the agent: `agentId` is null where nobody is, `inside` false outside of the world. */
    record Neighbor(int energy, String agentId, boolean inside) {}

    /** What an agent sees in a tick. */
    static final class State {
        final int tick, x, y, energy, width, height, generation, timeoutMs;
        final String agentId;
        final Map<Direction, Neighbor> neighbors = new LinkedHashMap<>();

        private State(Json message) {
            tick = message.get("tick").number(0);
            agentId = message.get("agent_id").text("");
            x = part(message.get("position"), 0);
            y = part(message.get("position"), 1);
            energy = message.get("energy").number(0);
            width = part(message.get("world_size"), 0);
            height = part(message.get("world_size"), 1);
            generation = message.get("generation").number(0);
            timeoutMs = message.get("timeout_ms").number(1000);
            for (Direction direction : Direction.values()) {
                Json cell = message.get("neighbors").get(direction.toString());
                int i = x + direction.dx, j = y + direction.dy;
                boolean inside = i >= 0 && i < width && j >= 0 && j < height;
                neighbors.put(
                        direction, new Neighbor(cell.get("energy").number(0), cell.get("agent_id").text(null), inside));
            }
        }

        private static int part(Json pair, int place) {
            List<Json> list = pair.list();
            return place < list.size() ? list.get(place).number(0) : 0;
        }

        /** The directions in which there is room for a child. */
        List<Direction> free() {
            return neighbors.keySet().stream()
                    .filter(way -> neighbors.get(way).inside() && neighbors.get(way).agentId() == null)
                    .toList();
        }

        /** The directions in which there is another agent, friend or foe. */
        List<Direction> others() {
            return neighbors.keySet().stream().filter(way -> neighbors.get(way).agentId() != null).toList();
        }
    }

    private Protocol() {}

    /**
     * Answers every tick until the agent dies or the game is over. `move` returns "rest", "replicate",
     * "die" or "attack north" (any direction).
     */
    static void play(Function<State, String> move) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            if (line.isBlank()) continue;
            String[] chosen = move.apply(new State(Json.parse(line))).split(" ", 2);
            String target = chosen.length > 1 ? "\",\"target\":\"" + chosen[1] : "";
            System.out.println("{\"action\":\"" + chosen[0] + target + "\"}");
            System.out.flush();
        }
    }

    /** This agent's file; it is gone when the agent is. */
    static Path memoryPath() {
        String path = System.getenv("AGENT_MEMORY");
        return Path.of(path != null ? path : "/tmp/agents/" + System.getenv("AGENT_ID") + ".json");
    }

    /** What was written to the agent's file; nothing at first. */
    static String readMemory() throws IOException {
        return Files.exists(memoryPath()) ? Files.readString(memoryPath()) : "";
    }

    /** Keeps a text of up to 1 MiB in the agent's file. */
    static void writeMemory(String text) throws IOException {
        Files.writeString(memoryPath(), text);
    }
}
