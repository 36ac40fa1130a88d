// The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
//
// Standard output belongs to the protocol: print to std::cerr, which is kept in the replay.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

enum { UNKNOWN = -1, GRASS, SUGAR, ROCK, MILL, WATER, MEAT };
enum { CONTROLLED = 1, FOREIGN_PROGRAM = 2, DEAD = 3 };  // brains
constexpr int MOST = 300;                                // no map is wider or higher

using Cell = std::pair<int, int>;  // column and row

// An ant of ours; of a foreign one only place, direction and brain are known.
struct Ant {
    int id, x, y, dx, dy, energy, acid, brain;

    Cell cell() const { return {x, y}; }

    // The cell in front of it.
    Cell ahead() const { return {x + dx, y + dy}; }
};

struct Way {
    Cell goal;
    std::string order;
};

// What the colony knows. (0, 0) is at the top left, y grows downwards.
struct State {
    int turn = 0, players = 0;
    std::vector<Ant> ants;      // of this player, also dead ones and those of its other programs
    std::vector<Ant> mine;      // living ones that this program commands
    std::vector<Ant> foreign;   // of other players, in sight; only in version 2 of the protocol
    int width = 0, height = 0;  // of what is known
    std::vector<int> cells = std::vector<int>(MOST * MOST, UNKNOWN);  // by y * 300 + x, as last seen
    std::set<Cell> visited;                                          // where our ants have been

    // What is in a cell; UNKNOWN where nobody has looked.
    int at(Cell cell) const {
        auto [x, y] = cell;
        return x >= 0 && y >= 0 && x < MOST && y < MOST ? cells[y * MOST + x] : UNKNOWN;
    }

    bool is_food(Cell cell) const { return at(cell) == SUGAR || at(cell) == MILL || at(cell) == MEAT; }

    // Whether an ant there would see something new.
    bool is_news(Cell cell) const {
        if (visited.count(cell)) return false;
        for (int x = std::max(cell.first - 1, 0); x <= cell.first + 1; x++)
            for (int y = std::max(cell.second - 1, 0); y <= cell.second + 1; y++)
                if (at({x, y}) == UNKNOWN) return true;
        return false;
    }

    bool is_enemy(Cell cell) const {
        return std::any_of(foreign.begin(), foreign.end(), [&](const Ant& ant) { return ant.cell() == cell; });
    }

    // Whether a living ant stands there.
    bool is_taken(Cell cell) const {
        auto stands = [&](const Ant& ant) { return ant.brain != DEAD && ant.cell() == cell; };
        return is_enemy(cell) || std::any_of(ants.begin(), ants.end(), stands);
    }

    // The nearest cell that is wanted, and the order that leads there.
    std::optional<Way> nearest(const Ant& ant, const std::function<bool(Cell)>& wanted) const {
        Cell start = ant.cell();
        std::map<Cell, Cell> first{{start, start}};
        std::deque<Cell> queue{start};
        for (; !queue.empty(); queue.pop_front()) {
            Cell cell = queue.front();
            if (cell != start && wanted(cell)) return Way{cell, towards(ant, first[cell])};
            for (auto [dx, dy] : {Cell(ant.dx, ant.dy), Cell(1, 0), Cell(0, 1), Cell(-1, 0), Cell(0, -1)}) {
                Cell to{cell.first + dx, cell.second + dy};
                int content = at(to);
                if (content == UNKNOWN || content == ROCK || content == WATER || first.count(to)) continue;
                // Other ants are in the way of the next step only: they move on.
                if (cell == start && is_taken(to)) continue;
                Cell begins = cell == start ? to : first[cell];
                first[to] = begins;
                queue.push_back(to);
            }
        }
        return std::nullopt;
    }

    // The order that brings an ant to a cell beside it.
    static std::string towards(const Ant& ant, Cell cell) {
        int dx = cell.first - ant.x, dy = cell.second - ant.y;
        if (dx == ant.dx && dy == ant.dy) return "forward";
        return dx == ant.dy && dy == -ant.dx ? "left" : "right";
    }
};

// Ids and their orders: "forward", "left", "right", "rest" or "attack@20". An ant without one rests.
using Orders = std::vector<std::pair<int, std::string>>;

// Yours.
using Move = std::function<Orders(const State&)>;

// ---- the conversation ----

// A line of numbers; empty at the end of the input.
inline std::vector<int> numbers() {
    std::string line;
    std::getline(std::cin, line);
    std::vector<int> found;
    const char* text = line.c_str();
    for (char* end = nullptr;; text = end) {
        long value = std::strtol(text, &end, 10);
        if (end == text) return found;
        found.push_back(static_cast<int>(value));
    }
}

// Reads one message; false at the end of the input, and for the last one, which is not answered.
inline bool read(State& state) {
    std::vector<int> header = numbers();
    if (header.size() < 4) return false;
    state.turn = header[0];
    state.players = header[2];
    state.ants.clear();
    state.mine.clear();
    state.foreign.clear();
    // The published version has five numbers, and a line of ids. Version 2 has four, an id in each
    // ant's line, and foreign ants.
    bool published = header.size() == 5;
    std::vector<int> ids = published ? numbers() : std::vector<int>();
    for (int i = 0; i < header[1]; i++) {
        std::vector<int> n = numbers();
        if (published) n.insert(n.begin(), i);
        Ant ant{n.at(0), n.at(1), n.at(2), n.at(3), n.at(4), n.at(5), n.at(6), n.at(7)};
        bool is_mine = !published || std::count(ids.begin(), ids.end(), i) > 0;
        state.ants.push_back(ant);
        if (is_mine && ant.brain == CONTROLLED) state.mine.push_back(ant);
    }
    if (!published) {
        for (int left = numbers().at(0); left > 0; left--) {
            std::vector<int> n = numbers();
            state.foreign.push_back({-1, n.at(0), n.at(1), n.at(2), n.at(3), 0, 0, n.at(4)});
        }
    }
    std::vector<int> size = numbers();
    state.width = size.at(0);
    state.height = size.at(1);
    for (int left = size.at(2); left > 0; left--) {
        std::vector<int> point = numbers();
        state.cells.at(point.at(1) * MOST + point.at(0)) = point.at(2);
    }
    for (const Ant& ant : state.ants)
        if (ant.brain != DEAD) state.visited.insert(ant.cell());
    return header[3] == 1;
}

// Answers every message until the game is over.
inline void play(const Move& move) {
    std::ios::sync_with_stdio(false);
    State state;
    while (read(state)) {
        const char* comma = "";
        for (const auto& [id, order] : move(state)) {
            std::cout << comma << id << ":" << order;
            comma = ",";
        }
        std::cout << std::endl;
    }
}
