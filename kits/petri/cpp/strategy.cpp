// Breeds wherever there is room.
#include "protocol.hpp"

// A child costs 5 energy; whoever has none left at the end of a tick dies.
static std::string move(const State& state) {
    return state.energy > 6 && !state.free().empty() ? "replicate" : "rest";
}

int main() {
    play(move);
}
