// Gets rid of the dearest card, and keeps wild cards for later.
#include "protocol.hpp"

// The dearest card that may be played, wild ones last; nothing draws (or passes).
static std::optional<Play> move(const State& state) {
    if (state.playable_cards.empty()) return std::nullopt;
    auto value = [](const std::string& card) { return is_wild(card) ? 0 : 100 + points(card); };
    auto less = [&](const std::string& a, const std::string& b) { return value(a) < value(b); };
    const auto& cards = state.playable_cards;
    return Play{*std::max_element(cards.begin(), cards.end(), less), state.favourite_color()};
}

int main() {
    play(move);
}
