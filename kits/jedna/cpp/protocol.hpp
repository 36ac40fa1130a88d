// The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
//
// Standard output belongs to the protocol: print to std::cerr, which is kept in the replay.
#pragma once

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"

struct Opponent {
    std::string id;
    int cards;
};

// What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4".
struct State {
    std::string your_id;
    std::vector<std::string> hand;
    std::string top_card, top_color;  // no color while a turned-up wild has none
    std::string game_state;           // "normal", "war_+2" or "war_wd4"
    int stacked_cards = 0;            // what passing in a war costs
    bool already_picked = false;
    std::string picked_card;              // or empty
    std::vector<Opponent> other_players;  // the next one first
    std::vector<std::string> available_actions, playable_cards;
    std::vector<std::string> notifications;  // all since the game began: "player2 played b5"

    // The color of most cards in the hand.
    std::string favourite_color() const {
        std::string best;
        long most = -1;
        for (std::string color : {"red", "blue", "green", "yellow"}) {
            auto has_it = [&](const std::string& card) { return card[0] == color[0]; };
            long count = std::count_if(hand.begin(), hand.end(), has_it);
            if (count > most) {
                most = count;
                best = color;
            }
        }
        return best;
    }
};

// A card to play; a wild card also names the color to follow.
struct Play {
    std::string card, color;
};

// Yours; nothing draws a card (or passes, where drawing is not possible).
using Move = std::function<std::optional<Play>(const State&)>;

inline bool is_wild(const std::string& card) { return card[0] == 'w'; }

// What a card costs if it is still in the hand at the end.
inline int points(const std::string& card) {
    if (is_wild(card)) return 50;
    return card[1] >= '0' && card[1] <= '9' ? card[1] - '0' : 20;
}

// ---- the conversation ----

inline State read_state(const Json& json, const std::vector<std::string>& notifications) {
    State state;
    state.your_id = json["your_id"].text;
    state.hand = json["hand"].texts();
    state.top_card = json["top_card"].text;
    state.top_color = json["top_color"].text;
    state.game_state = json["game_state"].text;
    state.stacked_cards = json["stacked_cards"].as_int();
    state.already_picked = json["already_picked"].is_true();
    state.picked_card = json["picked_card"].text;
    for (const Json& player : json["other_players"].items)
        state.other_players.push_back({player["id"].text, player["cards"].as_int()});
    state.available_actions = json["available_actions"].texts();
    state.playable_cards = json["playable_cards"].texts();
    state.notifications = notifications;
    return state;
}

inline std::string answer(const State& state, const std::optional<Play>& chosen) {
    const auto& actions = state.available_actions;
    bool can_draw = std::find(actions.begin(), actions.end(), "draw") != actions.end();
    if (!chosen) return can_draw ? R"({"action":"draw"})" : R"({"action":"pass"})";
    std::string text = R"({"action":"play","card":")" + chosen->card + "\"";
    if (is_wild(chosen->card)) {
        std::string color = chosen->color.empty() ? state.favourite_color() : chosen->color;
        text += R"(,"wild_color":")" + color + "\"";
    }
    return text + "}";
}

// Answers the host until the game ends.
inline void play(const Move& move) {
    std::vector<std::string> notifications;
    bool refused = false;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find('{') == std::string::npos) continue;
        Json message = Json::parse(line);
        const std::string& type = message["type"].text;
        if (type == "request_action") {
            State state = read_state(message["state"], notifications);
            // What was refused once would be refused again.
            std::optional<Play> chosen;
            if (!refused) chosen = move(state);
            refused = false;
            std::cout << answer(state, chosen) << std::endl;
        } else if (type == "notification") {
            notifications.push_back(message["message"].text);
        } else if (type == "error") {
            refused = true;
            std::cerr << "refused: " << message["message"].text << std::endl;
        } else if (type == "game_end") {
            return;
        }
    }
}
