import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
 *
 * Standard output belongs to the protocol: print to System.err, which is kept in the replay.
 */
final class Protocol {
    private static final List<String> COLORS = List.of("red", "blue", "green", "yellow");

    /** A card to play; a wild card also names the color to follow. */
    record Move(String card, String color) {}

    record Opponent(String id, int cards) {}

    /** What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4". */
    static final class State {
        final String yourId, topCard;
        /** Null while a turned-up wild has none. */
        final String topColor;
        /** "normal", "war_+2" or "war_wd4". */
        final String gameState;
        /** What passing in a war costs. */
        final int stackedCards;
        final boolean alreadyPicked;
        /** Or null. */
        final String pickedCard;
        final List<String> hand, availableActions, playableCards;
        /** The next one first. */
        final List<Opponent> otherPlayers;
        /** All since the game began: "player2 played b5". */
        final List<String> notifications;

        private State(Json json, List<String> notifications) {
            yourId = json.get("your_id").text("");
            hand = json.get("hand").texts();
            topCard = json.get("top_card").text("");
            topColor = json.get("top_color").text(null);
            gameState = json.get("game_state").text("normal");
            stackedCards = json.get("stacked_cards").number(0);
            alreadyPicked = json.get("already_picked").isTrue();
            pickedCard = json.get("picked_card").text(null);
            otherPlayers = json.get("other_players").list().stream()
                    .map(player -> new Opponent(player.get("id").text(""), player.get("cards").number(0)))
                    .toList();
            availableActions = json.get("available_actions").texts();
            playableCards = json.get("playable_cards").texts();
            this.notifications = notifications;
        }

        /** The color of most cards in the hand. */
        String favouriteColor() {
            String best = COLORS.get(0);
            for (String color : COLORS) {
                if (count(color) > count(best)) best = color;
            }
            return best;
        }

        private long count(String color) {
            return hand.stream().filter(card -> card.charAt(0) == color.charAt(0)).count();
        }
    }

    static boolean isWild(String card) {
        return card.startsWith("w");
    }

    /** What a card costs if it is still in the hand at the end. */
    static int points(String card) {
        if (isWild(card)) return 50;
        return Character.isDigit(card.charAt(1)) ? card.charAt(1) - '0' : 20;
    }

    /** Answers the host until the game ends. A move of null draws a card (or passes, where drawing is not possible). */
    static void play(Function<State, Move> move) throws IOException {
        List<String> notifications = new ArrayList<>();
        boolean refused = false;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            if (line.isBlank()) continue;
            Json message = Json.parse(line);
            switch (message.get("type").text("")) {
                case "request_action" -> {
                    State state = new State(message.get("state"), notifications);
                    // What was refused once would be refused again.
                    Move chosen = refused ? null : move.apply(state);
                    refused = false;
                    System.out.println(answer(state, chosen));
                    System.out.flush();
                }
                case "notification" -> notifications.add(message.get("message").text(""));
                case "error" -> {
                    refused = true;
                    System.err.println("refused: " + message.get("message").text(""));
                }
                case "game_end" -> {
                    return;
                }
                default -> { }
            }
        }
    }

    private static String answer(State state, Move move) {
        if (move == null) {
            return "{\"action\":\"" + (state.availableActions.contains("draw") ? "draw" : "pass") + "\"}";
        }
        String color = move.color() != null ? move.color() : state.favouriteColor();
        String wild = isWild(move.card()) ? ",\"wild_color\":\"" + color + "\"" : "";
        return "{\"action\":\"play\",\"card\":\"" + move.card() + "\"" + wild + "}";
    }
}
