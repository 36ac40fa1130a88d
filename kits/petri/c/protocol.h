/* The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
 *
 * Every agent is a process of its own, from its birth to its death: variables last as long as it
 * does. Standard output belongs to the protocol: print to stderr, which is kept in the replay. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { NORTH_WEST, NORTH, NORTH_EAST, WEST, EAST, SOUTH_WEST, SOUTH, SOUTH_EAST };
static const char *const DIRECTIONS[8] = {"north_west", "north",      "north_east", "west",
                                          "east",       "south_west", "south",      "south_east"};
static const int STEPS[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

/* A cell beside the agent. */
typedef struct {
    int energy;
    char agent_id[32]; /* empty: nobody is there */
    bool inside;       /* false: it lies outside of the world */
} Neighbor;

/* What an agent sees in a tick. */
typedef struct {
    int tick;
    char agent_id[32];
    int x, y, energy, width, height, generation, timeout_ms;
    Neighbor neighbors[8]; /* neighbors[NORTH] and so on */
} State;

typedef enum { REST, REPLICATE, ATTACK, DIE } Action;

/* What an agent does; an attack has a direction. */
typedef struct {
    Action action;
    int target;
} Choice;

/* Yours. */
typedef Choice (*Move)(const State *state);

/* Whether there is room for a child in a direction. */
static inline bool is_free(const State *state, int direction) {
    return state->neighbors[direction].inside && !state->neighbors[direction].agent_id[0];
}

/* In how many directions there is room for a child. */
static inline int count_free(const State *state) {
    int count = 0;
    for (int i = 0; i < 8; i++) count += is_free(state, i);
    return count;
}

/* Whether there is another agent in a direction, friend or foe. */
static inline bool is_other(const State *state, int direction) {
    return state->neighbors[direction].agent_id[0] != 0;
}

/* This agent's file; it is gone when the agent is. */
static inline const char *memory_path(void) {
    static char usual[256];
    const char *path = getenv("AGENT_MEMORY"), *id = getenv("AGENT_ID");
    if (path && *path) return path;
    snprintf(usual, sizeof usual, "/tmp/agents/%s.json", id ? id : "agent");
    return usual;
}

/* Reads what was written to the agent's file, which is nothing at first; returns how many bytes. */
static inline size_t read_memory(char *text, size_t size) {
    FILE *file = fopen(memory_path(), "r");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = 0;
    if (file) fclose(file);
    return length;
}

/* Keeps a text of up to 1 MiB in the agent's file. */
static inline bool write_memory(const char *text) {
    FILE *file = fopen(memory_path(), "w");
    if (!file) return false;
    bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

/* ---- the conversation ---- */

static inline void copy(char *to, size_t size, const Json *value) {
    const char *text = json_string(value);
    snprintf(to, size, "%s", text ? text : "");
}

static inline void take_pair(const Json *list, int *first, int *second) {
    const Json *item = json_items(list);
    *first = json_int(item, 0);
    *second = json_int(item ? item->next : NULL, 0);
}

static inline void take_state(State *state, const Json *message) {
    state->tick = json_int(json_get(message, "tick"), 0);
    copy(state->agent_id, sizeof state->agent_id, json_get(message, "agent_id"));
    take_pair(json_get(message, "position"), &state->x, &state->y);
    state->energy = json_int(json_get(message, "energy"), 0);
    take_pair(json_get(message, "world_size"), &state->width, &state->height);
    state->generation = json_int(json_get(message, "generation"), 0);
    state->timeout_ms = json_int(json_get(message, "timeout_ms"), 1000);
    for (int i = 0; i < 8; i++) {
        const Json *cell = json_get(json_get(message, "neighbors"), DIRECTIONS[i]);
        Neighbor *neighbor = &state->neighbors[i];
        int x = state->x + STEPS[i][0], y = state->y + STEPS[i][1];
        neighbor->energy = json_int(json_get(cell, "energy"), 0);
        copy(neighbor->agent_id, sizeof neighbor->agent_id, json_get(cell, "agent_id"));
        neighbor->inside = x >= 0 && x < state->width && y >= 0 && y < state->height;
    }
}

/* Answers every tick until the agent dies or the game is over. */
static inline void play(Move move) {
    static const char *const names[] = {"rest", "replicate", "attack", "die"};
    static State state;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) >= 0) {
        Json *message = json_parse(line);
        if (!message) continue;
        take_state(&state, message);
        json_free(message);
        Choice choice = move(&state);
        if (choice.action == ATTACK)
            printf("{\"action\":\"attack\",\"target\":\"%s\"}\n", DIRECTIONS[choice.target]);
        else
            printf("{\"action\":\"%s\"}\n", names[choice.action]);
        fflush(stdout);
    }
    free(line);
}

#endif
