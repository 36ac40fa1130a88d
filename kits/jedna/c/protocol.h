/* The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
 *
 * Standard output belongs to the protocol: print to stderr, which is kept in the replay. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { MOST_CARDS = 128, MOST_PLAYERS = 10 };

/* A card: "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4". */
typedef char Card[8];

typedef struct {
    int count;
    Card cards[MOST_CARDS];
} Cards;

typedef struct {
    char id[32];
    int cards;
} Opponent;

/* What the bot knows when it has to act. */
typedef struct {
    char your_id[32];
    Cards hand, playable_cards;
    Card top_card;
    char top_color[8];   /* empty while a turned-up wild has none */
    char game_state[16]; /* "normal", "war_+2" or "war_wd4" */
    int stacked_cards;   /* what passing in a war costs */
    bool already_picked;
    Card picked_card; /* or empty */
    int other_count;
    Opponent other_players[MOST_PLAYERS]; /* the next one first */
    bool can_draw;                        /* otherwise a bot that plays nothing passes */
    int notification_count;
    char **notifications; /* all since the game began: "player2 played b5" */
} State;

/* What to play: a card, and for a wild one a color. An empty card draws (or passes). */
typedef struct {
    Card card;
    char color[8];
} Choice;

/* Yours. */
typedef Choice (*Move)(const State *state);

static inline bool is_wild(const char *card) {
    return card[0] == 'w';
}

/* What a card costs if it is still in the hand at the end. */
static inline int points(const char *card) {
    if (is_wild(card)) return 50;
    return card[1] >= '0' && card[1] <= '9' ? card[1] - '0' : 20;
}

/* The color of most cards in the hand. */
static inline const char *favourite_color(const State *state) {
    static const char letters[] = "rbgy";
    static const char *const colors[] = {"red", "blue", "green", "yellow"};
    int best = 0, most = -1;
    for (int i = 0; i < 4; i++) {
        int count = 0;
        for (int j = 0; j < state->hand.count; j++) count += state->hand.cards[j][0] == letters[i];
        if (count > most) {
            most = count;
            best = i;
        }
    }
    return colors[best];
}

/* ---- the conversation ---- */

static inline void copy(char *to, size_t size, const Json *value) {
    const char *text = json_string(value);
    snprintf(to, size, "%s", text ? text : "");
}

static inline void take_cards(Cards *cards, const Json *list) {
    cards->count = 0;
    for (const Json *card = json_items(list); card && cards->count < MOST_CARDS; card = card->next)
        copy(cards->cards[cards->count++], sizeof(Card), card);
}

static inline void take_state(State *state, const Json *json) {
    copy(state->your_id, sizeof state->your_id, json_get(json, "your_id"));
    take_cards(&state->hand, json_get(json, "hand"));
    take_cards(&state->playable_cards, json_get(json, "playable_cards"));
    copy(state->top_card, sizeof state->top_card, json_get(json, "top_card"));
    copy(state->top_color, sizeof state->top_color, json_get(json, "top_color"));
    copy(state->game_state, sizeof state->game_state, json_get(json, "game_state"));
    state->stacked_cards = json_int(json_get(json, "stacked_cards"), 0);
    state->already_picked = json_true(json_get(json, "already_picked"));
    copy(state->picked_card, sizeof state->picked_card, json_get(json, "picked_card"));
    state->other_count = 0;
    const Json *player = json_items(json_get(json, "other_players"));
    for (; player && state->other_count < MOST_PLAYERS; player = player->next) {
        Opponent *other = &state->other_players[state->other_count++];
        copy(other->id, sizeof other->id, json_get(player, "id"));
        other->cards = json_int(json_get(player, "cards"), 0);
    }
    state->can_draw = false;
    const Json *action = json_items(json_get(json, "available_actions"));
    for (; action; action = action->next)
        state->can_draw = state->can_draw || (json_string(action) && !strcmp(json_string(action), "draw"));
}

static inline void answer(const State *state, const Choice *choice) {
    if (!choice->card[0]) {
        printf("{\"action\":\"%s\"}\n", state->can_draw ? "draw" : "pass");
    } else if (is_wild(choice->card)) {
        const char *color = choice->color[0] ? choice->color : favourite_color(state);
        printf("{\"action\":\"play\",\"card\":\"%s\",\"wild_color\":\"%s\"}\n", choice->card, color);
    } else {
        printf("{\"action\":\"play\",\"card\":\"%s\"}\n", choice->card);
    }
    fflush(stdout);
}

/* Answers the host until the game ends. */
static inline void play(Move move) {
    static State state;
    char *line = NULL;
    size_t size = 0;
    bool refused = false, over = false;
    while (!over && getline(&line, &size, stdin) >= 0) {
        Json *message = json_parse(line);
        const char *type = json_string(json_get(message, "type"));
        const char *text = json_string(json_get(message, "message"));
        if (!type) type = "";
        if (!strcmp(type, "request_action")) {
            take_state(&state, json_get(message, "state"));
            /* What was refused once would be refused again. */
            Choice choice = {"", ""};
            if (!refused) choice = move(&state);
            refused = false;
            answer(&state, &choice);
        } else if (!strcmp(type, "notification")) {
            size_t room = (size_t)(state.notification_count + 1) * sizeof *state.notifications;
            state.notifications = realloc(state.notifications, room);
            if (!state.notifications) exit(1);
            state.notifications[state.notification_count++] = strdup(text ? text : "");
        } else if (!strcmp(type, "error")) {
            refused = true;
            fprintf(stderr, "refused: %s\n", text ? text : "");
        } else if (!strcmp(type, "game_end")) {
            over = true;
        }
        json_free(message);
    }
    free(line);
}

#endif
