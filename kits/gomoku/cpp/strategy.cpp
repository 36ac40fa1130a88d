// Plays where the longest row would be, its own or the opponent's.
#include "protocol.hpp"

// The best free cell: five of mine, five of theirs, four of mine, … and then near the middle.
static Cell move(const State& state) {
    auto value = [&](Cell cell) {
        int best = std::max(2 * state.row(cell.x, cell.y, ME) + 1, 2 * state.row(cell.x, cell.y, THEM));
        int off = std::abs(cell.x - state.width / 2) + std::abs(cell.y - state.height / 2);
        return 1000 * best - off;
    };
    std::vector<Cell> free = state.free();
    return *std::max_element(free.begin(), free.end(), [&](Cell a, Cell b) { return value(a) < value(b); });
}

int main() {
    play(move, "mybot");
}
