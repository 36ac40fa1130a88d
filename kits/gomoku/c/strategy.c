/* Plays where the longest row would be, its own or the opponent's. */
#include "protocol.h"

/* The best free cell: five of mine, five of theirs, four of mine, … and then near the middle. */
static Cell move(const State *state) {
    Cell best = {-1, -1};
    int most = INT_MIN;
    for (int y = 0; y < state->height; y++) {
        for (int x = 0; x < state->width; x++) {
            if (!is_free(state, x, y)) continue;
            int mine = 2 * row(state, x, y, ME) + 1, theirs = 2 * row(state, x, y, THEM);
            int off = abs(x - state->width / 2) + abs(y - state->height / 2);
            int value = 1000 * (mine > theirs ? mine : theirs) - off;
            if (value > most) {
                most = value;
                best = (Cell){x, y};
            }
        }
    }
    return best;
}

int main(void) {
    play(move, "mybot");
    return 0;
}
