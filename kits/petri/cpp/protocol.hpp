// The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
//
// Every agent is a process of its own, from its birth to its death: variables last as long as it
// does. Standard output belongs to the protocol: print to std::cerr, which is kept in the replay.
#pragma once

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "json.hpp"

// The eight directions, with their steps: north is y - 1.
struct Direction {
    const char* name;
    int dx, dy;
};
constexpr Direction DIRECTIONS[8] = {{"north_west", -1, -1}, {"north", 0, -1}, {"north_east", 1, -1},
                                     {"west", -1, 0},        {"east", 1, 0},   {"south_west", -1, 1},
                                     {"south", 0, 1},        {"south_east", 1, 1}};

// A cell beside the agent.
struct Neighbor {
    std::string direction;
    int energy;
    std::string agent_id;  // empty: nobody is there
    bool inside;           // false: it lies outside of the world
};

// What an agent sees in a tick.
struct State {
    int tick, x, y, energy, width, height, generation, timeout_ms;
    std::string agent_id;
    std::vector<Neighbor> neighbors;

    // The directions in which there is room for a child.
    std::vector<std::string> free() const {
        std::vector<std::string> found;
        for (const Neighbor& cell : neighbors)
            if (cell.inside && cell.agent_id.empty()) found.push_back(cell.direction);
        return found;
    }

    // The directions in which there is another agent, friend or foe.
    std::vector<std::string> others() const {
        std::vector<std::string> found;
        for (const Neighbor& cell : neighbors)
            if (!cell.agent_id.empty()) found.push_back(cell.direction);
        return found;
    }
};

// Yours: "rest", "replicate", "die" or "attack north".
using Move = std::function<std::string(const State&)>;

// This agent's file; it is gone when the agent is.
inline std::string memory_path() {
    const char *path = std::getenv("AGENT_MEMORY"), *id = std::getenv("AGENT_ID");
    return path && *path ? path : std::string("/tmp/agents/") + (id ? id : "agent") + ".json";
}

// What was written to the agent's file; nothing at first.
inline std::string read_memory() {
    std::ifstream file(memory_path());
    return {std::istreambuf_iterator<char>(file), {}};
}

// Keeps a text of up to 1 MiB in the agent's file.
inline void write_memory(const std::string& text) { std::ofstream(memory_path()) << text; }

// ---- the conversation ----

inline State read_state(const Json& message) {
    auto part = [&](const char* key, size_t place) {
        const std::vector<Json>& list = message[key].items;
        return place < list.size() ? list[place].as_int() : 0;
    };
    State state;
    state.tick = message["tick"].as_int();
    state.agent_id = message["agent_id"].text;
    state.x = part("position", 0);
    state.y = part("position", 1);
    state.energy = message["energy"].as_int();
    state.width = part("world_size", 0);
    state.height = part("world_size", 1);
    state.generation = message["generation"].as_int();
    state.timeout_ms = message["timeout_ms"].as_int(1000);
    for (auto [name, dx, dy] : DIRECTIONS) {
        const Json& cell = message["neighbors"][name];
        int x = state.x + dx, y = state.y + dy;
        bool inside = x >= 0 && x < state.width && y >= 0 && y < state.height;
        state.neighbors.push_back({name, cell["energy"].as_int(), cell["agent_id"].text, inside});
    }
    return state;
}

// Answers every tick until the agent dies or the game is over.
inline void play(const Move& move) {
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find('{') == std::string::npos) continue;
        std::string chosen = move(read_state(Json::parse(line)));
        size_t blank = chosen.find(' ');
        std::cout << R"({"action":")" << chosen.substr(0, blank) << '"';
        if (blank != std::string::npos) std::cout << R"(,"target":")" << chosen.substr(blank + 1) << '"';
        std::cout << '}' << std::endl;
    }
}
