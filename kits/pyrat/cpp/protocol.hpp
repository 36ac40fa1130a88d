// The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
//
// A thread reads while the bot thinks, so that `isready` and `stop` are heard: a long thought asks
// `state.stopped()` now and then. Standard output belongs to the protocol: print to std::cerr, which
// is kept in the replay.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

constexpr int FAR = 1000000;  // turns to a cell that cannot be reached

enum Step { UP, DOWN, LEFT, RIGHT, STAY };
constexpr const char* STEP_NAMES[] = {"UP", "DOWN", "LEFT", "RIGHT", "STAY"};
constexpr int STEPS[4][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}};

struct Player {
    int cell = 0;
    int target = 0;  // while it is in mud: the cell it will arrive at
    int mud = 0;     // turns until then; its moves are ignored meanwhile
    double score = 0;
};

// A move that leads out of a cell.
struct Exit {
    Step step;
    int to, turns;
};

// For every cell: in how many turns it is reached, and by which first step.
struct Ways {
    std::vector<int> turns;
    std::vector<Step> first;
};

// Set by the thread that reads.
struct Signals {
    std::atomic<bool> stop{false}, late{false};
};

inline Signals& signals() {
    static Signals signals;
    return signals;
}

// The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left.
struct State {
    int width = 0, height = 0;
    std::vector<int> cheese;
    Player rat, python;
    bool is_rat = true;
    int turn = 0;
    std::map<std::string, int> time;             // limits in milliseconds: "move", "preprocessing", "postprocessing"
    std::map<std::string, std::string> options;  // what setoption said
    std::vector<std::vector<int>> costs;         // turns that each of the four steps takes; 0: there is a wall

    const Player& me() const { return is_rat ? rat : python; }
    const Player& other() const { return is_rat ? python : rat; }

    // Whether a thought has to end.
    bool stopped() const { return signals().stop; }

    // The moves that lead out of a cell.
    std::vector<Exit> exits(int cell) const {
        std::vector<Exit> found;
        for (int step = 0; step < 4; step++)
            if (costs[cell][step]) found.push_back({Step(step), neighbour(cell, step), costs[cell][step]});
        return found;
    }

    Ways ways(int start) const {
        Ways ways{std::vector<int>(width * height, FAR), std::vector<Step>(width * height, STAY)};
        ways.turns[start] = 0;
        std::deque<int> queue{start};
        while (!queue.empty()) {
            int cell = queue.front();
            queue.pop_front();
            for (const Exit& exit : exits(cell)) {
                if (ways.turns[cell] + exit.turns >= ways.turns[exit.to]) continue;
                ways.turns[exit.to] = ways.turns[cell] + exit.turns;
                ways.first[exit.to] = cell == start ? exit.step : ways.first[cell];
                queue.push_back(exit.to);
            }
        }
        return ways;
    }

    // ---- keeping track ----

    int neighbour(int cell, int step) const { return cell + STEPS[step][1] * width + STEPS[step][0]; }

    void make_maze(int maze_width, int maze_height) {
        width = maze_width;
        height = maze_height;
        costs.assign(width * height, std::vector<int>(4, 1));
        for (int cell = 0; cell < width * height; cell++) {
            int x = cell % width, y = cell / width;
            costs[cell] = {y + 1 < height, y > 0, x > 0, x + 1 < width};
        }
    }

    // Between two cells, in both directions.
    void set_cost(int a, int b, int turns) {
        for (auto [cell, to] : {std::pair(a, b), std::pair(b, a)})
            for (const Exit& exit : exits(cell))
                if (exit.to == to) costs[cell][exit.step] = turns;
    }

    // One turn of one player: it moves, or struggles on in the mud whatever its move is.
    void advance(Player& player, Step step) const {
        if (player.mud > 0) {
            player.mud--;
        } else if (step != STAY && costs[player.cell][step]) {
            player.target = neighbour(player.cell, step);
            player.mud = costs[player.cell][step] - 1;
        }
        if (player.mud == 0) player.cell = player.target;
    }

    // One turn of the game.
    void step(Step rats, Step pythons) {
        turn++;
        advance(rat, rats);
        advance(python, pythons);
        auto eats = [&](const Player& player) {
            return player.mud == 0 && std::count(cheese.begin(), cheese.end(), player.cell) > 0;
        };
        bool rat_eats = eats(rat), python_eats = eats(python);
        double worth = rat_eats && python_eats && rat.cell == python.cell ? 0.5 : 1;
        for (auto [player, does] : {std::pair(&rat, rat_eats), std::pair(&python, python_eats)}) {
            if (!does) continue;
            player->score += worth;
            cheese.erase(std::remove(cheese.begin(), cheese.end(), player->cell), cheese.end());
        }
    }

    // After a restart: the history of moves tells who is how deep in mud. A walk along it from the
    // right start ends where the player is now. Usually the start is the player's corner.
    void recover_mud(const std::vector<Step>& history) {
        turn = static_cast<int>(history.size() / 2);
        int last = width * height - 1;
        for (int number : {0, 1}) {
            Player& player = number == 0 ? rat : python;
            for (int i = -1; i <= last; i++) {
                Player walker;
                walker.cell = walker.target = i >= 0 ? i : number == 0 ? 0 : last;
                for (size_t at = number; at < history.size(); at += 2) advance(walker, history[at]);
                if (walker.cell != player.cell) continue;
                player.target = walker.target;
                player.mud = walker.mud;
                break;
            }
        }
    }

    // The cells in a text: "(0,0)-(0,1)".
    std::vector<int> cells(const std::string& text) const {
        std::vector<int> found;
        for (size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
            int x = std::atoi(text.c_str() + at + 1), y = std::atoi(text.c_str() + text.find(',', at) + 1);
            found.push_back(y * width + x);
        }
        return found;
    }
};

// Yours.
using Move = std::function<Step(const State&)>;

// Writes a line, which leaves at once; both threads do.
inline void say(const std::string& line) {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    std::cout << line << std::endl;
}

inline std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> found;
    for (std::string word; stream >> word;) found.push_back(word);
    return found;
}

inline std::string trimmed(const std::string& text) {
    size_t from = text.find_first_not_of(" \t\r\n"), to = text.find_last_not_of(" \t\r\n");
    return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

// "rat:UP python:LEFT" as a map.
inline std::map<std::string, std::string> pairs(const std::string& text) {
    std::map<std::string, std::string> found;
    for (const std::string& word : words(text)) {
        size_t colon = word.find(':');
        if (colon != std::string::npos) found[word.substr(0, colon)] = word.substr(colon + 1);
    }
    return found;
}

inline Step step_named(const std::string& name) {
    for (int step = 0; step < 4; step++)
        if (name == STEP_NAMES[step]) return Step(step);
    return STAY;
}

// Lines on their way from the thread that reads to the one that thinks.
class Lines {
    std::deque<std::string> lines;
    bool over = false;
    std::mutex mutex;
    std::condition_variable changed;

public:
    void add(const std::string& line) {
        std::lock_guard lock(mutex);
        lines.push_back(line);
        changed.notify_one();
    }

    void end() {
        std::lock_guard lock(mutex);
        over = true;
        changed.notify_one();
    }

    // Waits for the next line; false at the end of the input.
    bool next(std::string& line) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return over || !lines.empty(); });
        if (lines.empty()) return false;
        line = lines.front();
        lines.pop_front();
        return true;
    }

    // Reads on a thread of its own: what cannot wait until the thought is over is done here.
    void read() {
        for (std::string line; std::getline(std::cin, line);) {
            line = trimmed(line);
            std::string word = line.substr(0, line.find_first_of(" \t"));
            if (word == "isready") {
                say("readyok");
            } else if (word == "stop") {
                signals().stop = true;
            } else if (word == "timeout") {
                signals().late = true;
                signals().stop = true;
            } else if (!word.empty()) {
                if (word == "go" || word == "startpreprocessing") signals().stop = signals().late = false;
                add(line);
            }
        }
        signals().stop = true;
        end();
    }
};

// Answers the engine until it is gone.
inline void play(const Move& move, const std::string& name) {
    Lines lines;
    std::thread reader([&] { lines.read(); });
    State state;
    std::map<std::string, std::string> options;
    std::vector<Step> history;
    bool begun = false;
    for (std::string line; lines.next(line);) {
        size_t blank = std::min(line.find_first_of(" \t"), line.size());
        std::string word = line.substr(0, blank), rest = trimmed(line.substr(blank));
        if (word == "pyrat") {
            say("id name " + name);
            say("pyratready");
        } else if (word == "setoption") {
            size_t value = rest.find(" value ");
            std::string key = trimmed(rest.substr(rest.find("name ") == 0 ? 5 : 0, value - 5));
            options[key] = value == std::string::npos ? "" : trimmed(rest.substr(value + 7));
        } else if (word == "newgame" || word == "recover") {
            state = State();
            state.options = options;
            history.clear();
            begun = false;
        } else if (word == "maze") {
            auto size = pairs(rest);
            state.make_maze(std::atoi(size["width"].c_str()), std::atoi(size["height"].c_str()));
        } else if (word == "walls" || word == "mud") {
            for (const std::string& part : words(rest)) {
                std::vector<int> cells = state.cells(part);
                int turns = word == "walls" ? 0 : std::atoi(part.c_str() + part.rfind(':') + 1) + 1;
                if (cells.size() == 2) state.set_cost(cells[0], cells[1], turns);
            }
        } else if (word == "cheese") {
            state.cheese = state.cells(rest);
        } else if (word == "player1" || word == "player2") {
            Player& player = word == "player1" ? state.rat : state.python;
            player.cell = player.target = state.cells(rest).at(0);
        } else if (word == "timecontrol") {
            for (const auto& [key, ms] : pairs(rest)) state.time[key] = std::atoi(ms.c_str());
        } else if (word == "moves_history") {
            for (const std::string& step : words(rest)) history.push_back(step_named(step));
            begun = true;
        } else if (word == "score") {
            auto scores = pairs(rest);
            state.rat.score = std::atof(scores["rat"].c_str());
            state.python.score = std::atof(scores["python"].c_str());
        } else if (word == "youare") {
            state.is_rat = rest != "python";
            if (begun) state.recover_mud(history);
        } else if (word == "startpreprocessing") {
            say("preprocessingdone");
        } else if (word == "moves") {
            auto moves = pairs(rest);
            // The first ones come before the first turn.
            if (begun) state.step(step_named(moves["rat"]), step_named(moves["python"]));
            begun = true;
        } else if (word == "go") {
            begun = true;
            Step step = move(state);
            // After a time-out the engine has played STAY and does not want this move any more.
            if (!signals().late) say(std::string("move ") + STEP_NAMES[step]);
        } else if (word == "ready?") {
            say("ready");
        } else if (word == "startpostprocessing") {
            say("postprocessingdone");
        }
        // `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is not
        // known is ignored.
    }
    reader.join();
}
