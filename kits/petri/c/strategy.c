/* Breeds wherever there is room. */
#include "protocol.h"

/* A child costs 5 energy; whoever has none left at the end of a tick dies. */
static Choice move(const State *state) {
    if (state->energy > 6 && count_free(state) > 0) return (Choice){REPLICATE, 0};
    return (Choice){REST, 0};
}

int main(void) {
    play(move);
    return 0;
}
