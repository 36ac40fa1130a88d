// Sends every ant to the nearest food, or to where it sees something new.
#include "protocol.hpp"

// An order for each ant; two ants never go for the same cell.
static Orders move(const State& state) {
    Orders orders;
    std::set<Cell> goals;
    for (const Ant& ant : state.mine) {
        if (state.is_enemy(ant.ahead()) && ant.acid > 0) {
            orders.push_back({ant.id, "attack@" + std::to_string(ant.acid)});
            continue;
        }
        auto way = state.nearest(ant, [&](Cell cell) { return state.is_food(cell) && !goals.count(cell); });
        if (!way) way = state.nearest(ant, [&](Cell cell) { return state.is_news(cell) && !goals.count(cell); });
        if (way) {
            goals.insert(way->goal);
            orders.push_back({ant.id, way->order});
        }
    }
    return orders;
}

int main() {
    play(move);
}
