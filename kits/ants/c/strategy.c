/* Sends every ant to the nearest food, or to where it sees something new. */
#include "protocol.h"

/* Where ants are sent in this turn. */
typedef struct {
    int count;
    Cell cells[MOST_ANTS];
} Goals;

static bool is_goal(const Goals *goals, Cell cell) {
    for (int i = 0; i < goals->count; i++)
        if (goals->cells[i].x == cell.x && goals->cells[i].y == cell.y) return true;
    return false;
}

static bool free_food(const State *state, Cell cell, const void *goals) {
    return is_food(state, cell) && !is_goal(goals, cell);
}

static bool free_news(const State *state, Cell cell, const void *goals) {
    return is_news(state, cell) && !is_goal(goals, cell);
}

/* An order for each ant; two ants never go for the same cell. */
static void move(const State *state, Orders *orders) {
    Goals goals = {0};
    for (int i = 0; i < state->mine_count; i++) {
        const Ant *ant = &state->mine[i];
        Cell goal;
        if (is_enemy(state, ahead(ant)) && ant->acid > 0) {
            snprintf(orders->of[i], sizeof orders->of[i], "attack@%d", ant->acid);
            continue;
        }
        const char *order = nearest(state, ant, free_food, &goals, &goal);
        if (!order) order = nearest(state, ant, free_news, &goals, &goal);
        if (order) {
            goals.cells[goals.count++] = goal;
            strcpy(orders->of[i], order);
        }
    }
}

int main(void) {
    play(move);
    return 0;
}
