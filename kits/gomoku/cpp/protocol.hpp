// The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
//
// Standard output belongs to the protocol: print to std::cerr, which is kept in the replay.
#pragma once

#include <algorithm>
#include <cctype>
#include <climits>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

enum { EMPTY, ME, THEM, FORBIDDEN };
constexpr int LEAST = 5, MOST = 32;  // sides of a board

struct Cell {
    int x, y;
};

struct Stone {
    int x, y, who;
};

// The position in which the bot has to move.
struct State {
    int width = 0, height = 0;
    std::vector<std::vector<int>> cells;      // cells[y][x] is EMPTY, ME, THEM or FORBIDDEN
    std::vector<Stone> stones;                // in the order in which they were played
    std::map<std::string, std::string> info;  // what INFO said: "timeout_turn", "time_left", "rule" and so on

    bool inside(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }

    bool is_free(int x, int y) const { return inside(x, y) && cells[y][x] == EMPTY; }

    // All cells without a stone, row by row.
    std::vector<Cell> free() const {
        std::vector<Cell> found;
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                if (is_free(x, y)) found.push_back({x, y});
        return found;
    }

    // How many stones in a row `who` would have through this cell by playing there.
    int row(int x, int y, int who) const {
        static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
        int longest = 0;
        for (auto [dx, dy] : directions) {
            int count = 1;
            for (int sign : {1, -1})
                for (int i = x + sign * dx, j = y + sign * dy; inside(i, j) && cells[j][i] == who;
                     i += sign * dx, j += sign * dy)
                    count++;
            longest = std::max(longest, count);
        }
        return longest;
    }

    // How long this move may take, in milliseconds.
    long time_ms() const {
        long least = INT_MAX;
        for (const char* key : {"timeout_turn", "time_left"}) {
            auto found = info.find(key);
            long limit = found == info.end() ? 0 : std::atol(found->second.c_str());
            if (limit > 0) least = std::min(least, limit);
        }
        return least;
    }

    void clear() {
        cells.assign(height, std::vector<int>(width, EMPTY));
        stones.clear();
    }

    void put(int x, int y, int who) {
        cells[y][x] = who;
        stones.push_back({x, y, who});
    }

    void take_back(int x, int y) {
        cells[y][x] = EMPTY;
        auto is_there = [=](const Stone& stone) { return stone.x == x && stone.y == y; };
        stones.erase(std::remove_if(stones.begin(), stones.end(), is_there), stones.end());
    }
};

// Yours: a free cell.
using Move = std::function<Cell(const State&)>;

// Writes a line, which leaves at once.
inline void say(const std::string& line) { std::cout << line << std::endl; }

inline std::string trimmed(const std::string& text) {
    size_t from = text.find_first_not_of(" \t\r\n"), to = text.find_last_not_of(" \t\r\n");
    return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

inline std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

// Reads a line without blanks at its ends; false at the end of the input.
inline bool read_line(std::string& line) {
    if (!std::getline(std::cin, line)) return false;
    line = trimmed(line);
    return true;
}

// The numbers of "7,8" or "15"; nothing if it is something else.
inline std::vector<int> numbers(const std::string& text) {
    std::vector<int> found;
    for (size_t at = 0; at <= text.size();) {
        size_t comma = std::min(text.find(',', at), text.size());
        std::string part = trimmed(text.substr(at, comma - at));
        try {
            size_t used = 0;
            found.push_back(std::stoi(part, &used));
            if (used != part.size()) return {};
        } catch (const std::exception&) {
            return {};
        }
        at = comma + 1;
    }
    return found;
}

// The lines of a position as lists of numbers.
inline std::vector<std::vector<int>> until_done() {
    std::vector<std::vector<int>> found;
    std::string line;
    while (read_line(line) && upper(line) != "DONE") found.push_back(numbers(line));
    return found;
}

inline std::string text_of(Cell cell) { return std::to_string(cell.x) + "," + std::to_string(cell.y); }

inline void answer(State& state, const Move& move) {
    if (state.free().empty()) return say("ERROR there is no free cell");
    Cell cell = move(state);
    if (!state.is_free(cell.x, cell.y))
        throw std::logic_error("move returned " + text_of(cell) + ", which is not a free cell");
    state.put(cell.x, cell.y, ME);
    say(text_of(cell));
}

// Answers the manager until it says END or is gone.
inline void play(const Move& move, const std::string& name) {
    State state;
    std::string line;
    while (read_line(line)) {
        size_t blank = std::min(line.find_first_of(" \t"), line.size());
        std::string word = upper(line.substr(0, blank)), rest = trimmed(line.substr(blank));
        std::vector<int> cell = numbers(rest);
        bool is_cell = cell.size() == 2;

        if (word == "START" || word == "RECTSTART") {
            size_t sides = word == "START" ? 1 : 2;
            auto fits = [](int side) { return side >= LEAST && side <= MOST; };
            if (cell.size() == sides && std::all_of(cell.begin(), cell.end(), fits)) {
                state = State();
                state.width = cell.front();
                state.height = cell.back();
                state.clear();
                say("OK");
            } else {
                say("ERROR boards have sides of 5 to 32");
            }
        } else if (word == "RESTART") {
            state.clear();
            say("OK");
        } else if (word == "INFO") {
            size_t space = std::min(rest.find_first_of(" \t"), rest.size());
            state.info[rest.substr(0, space)] = trimmed(rest.substr(space));
        } else if (word == "BEGIN") {
            answer(state, move);
        } else if (word == "TURN") {
            if (is_cell && state.is_free(cell[0], cell[1])) {
                state.put(cell[0], cell[1], THEM);
                answer(state, move);
            } else {
                say("ERROR not a free cell: " + rest);
            }
        } else if (word == "BOARD") {
            state.clear();
            for (const auto& stone : until_done())
                if (stone.size() == 3 && state.is_free(stone[0], stone[1])) state.put(stone[0], stone[1], stone[2]);
            answer(state, move);
        } else if (word == "SWAP2BOARD") {
            state.clear();
            // Whoever answers with one cell takes White: black stones are the other's then.
            int who = THEM;
            for (const auto& stone : until_done()) {
                if (stone.size() >= 2 && state.is_free(stone[0], stone[1])) state.put(stone[0], stone[1], who);
                who = who == THEM ? ME : THEM;
            }
            int x = state.width / 2, y = state.height / 2;
            if (!state.stones.empty()) answer(state, move);
            else say(text_of({x, y}) + " " + text_of({x + 1, y}) + " " + text_of({x - 1, y + 2}));
        } else if (word == "PLAY") {  // comes only after SUGGEST, which this bot never says
            if (is_cell && state.is_free(cell[0], cell[1])) {
                state.put(cell[0], cell[1], ME);
                say(text_of({cell[0], cell[1]}));
            } else {
                say("ERROR not a free cell: " + rest);
            }
        } else if (word == "TAKEBACK") {
            if (is_cell && state.inside(cell[0], cell[1])) {
                state.take_back(cell[0], cell[1]);
                say("OK");
            } else {
                say("ERROR not a cell: " + rest);
            }
        } else if (word == "ABOUT") {
            say("name=\"" + name + "\", version=\"1.0\", author=\"\", country=\"\"");
        } else if (word == "END") {
            return;
        } else if (!word.empty()) {
            say("UNKNOWN " + word);
        }
    }
}
