// Goes for the nearest cheese.
#include "protocol.hpp"

// The first step on the way to the cheese that is reached in the fewest turns.
static Step move(const State& state) {
    Ways ways = state.ways(state.me().cell);
    auto nearer = [&](int a, int b) { return ways.turns[a] < ways.turns[b]; };
    auto nearest = std::min_element(state.cheese.begin(), state.cheese.end(), nearer);
    return nearest == state.cheese.end() ? STAY : ways.first[*nearest];
}

int main() {
    play(move, "mybot");
}
