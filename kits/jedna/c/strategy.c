/* Gets rid of the dearest card, and keeps wild cards for later. */
#include "protocol.h"

/* The dearest card that may be played, wild ones last; an empty card draws (or passes). */
static Choice move(const State *state) {
    Choice choice = {"", ""};
    int most = -1;
    for (int i = 0; i < state->playable_cards.count; i++) {
        const char *card = state->playable_cards.cards[i];
        int value = is_wild(card) ? 0 : 100 + points(card);
        if (value > most) {
            most = value;
            strcpy(choice.card, card);
        }
    }
    strcpy(choice.color, favourite_color(state));
    return choice;
}

int main(void) {
    play(move);
    return 0;
}
