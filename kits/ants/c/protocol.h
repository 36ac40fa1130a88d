/* The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
 *
 * Standard output belongs to the protocol: print to stderr, which is kept in the replay. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1, GRASS, SUGAR, ROCK, MILL, WATER, MEAT };
enum { CONTROLLED = 1, FOREIGN_PROGRAM = 2, DEAD = 3 }; /* brains */
enum { MOST = 300, MOST_ANTS = 42, MOST_FOREIGN = 512 };

typedef struct {
    int x, y;
} Cell;

/* An ant of ours; of a foreign one only place, direction and brain are known. */
typedef struct {
    int id, x, y, dx, dy, energy, acid, brain;
} Ant;

/* What the colony knows. (0, 0) is at the top left, y grows downwards. */
typedef struct {
    int turn, players;
    int ant_count;
    Ant ants[MOST_ANTS]; /* of this player, also dead ones and those of its other programs */
    int mine_count;
    Ant mine[MOST_ANTS]; /* living ones that this program commands */
    int foreign_count;
    Ant foreign[MOST_FOREIGN];    /* of other players, in sight; only in version 2 of the protocol */
    int width, height;            /* of what is known */
    signed char cells[MOST][MOST]; /* cells[y][x]: GRASS, SUGAR, … as last seen */
    bool visited[MOST][MOST];     /* where our ants have been */
} State;

/* An order for each ant of `mine`, at the same place: "forward", "left", "right", "rest" or "attack@20"; an empty one
 * is rest, too. */
typedef struct {
    char of[MOST_ANTS][32];
} Orders;

/* Yours. */
typedef void (*Move)(const State *state, Orders *orders);

/* What is in a cell; UNKNOWN where nobody has looked. */
static inline int at(const State *state, Cell cell) {
    bool known = cell.x >= 0 && cell.y >= 0 && cell.x < MOST && cell.y < MOST;
    return known ? state->cells[cell.y][cell.x] : UNKNOWN;
}

static inline bool is_food(const State *state, Cell cell) {
    int content = at(state, cell);
    return content == SUGAR || content == MILL || content == MEAT;
}

/* Whether an ant there would see something new. */
static inline bool is_news(const State *state, Cell cell) {
    if (state->visited[cell.y][cell.x]) return false;
    for (int x = cell.x - 1; x <= cell.x + 1; x++)
        for (int y = cell.y - 1; y <= cell.y + 1; y++)
            if (x >= 0 && y >= 0 && at(state, (Cell){x, y}) == UNKNOWN) return true;
    return false;
}

static inline bool is_enemy(const State *state, Cell cell) {
    for (int i = 0; i < state->foreign_count; i++)
        if (state->foreign[i].x == cell.x && state->foreign[i].y == cell.y) return true;
    return false;
}

/* Whether a living ant stands there. */
static inline bool is_taken(const State *state, Cell cell) {
    for (int i = 0; i < state->ant_count; i++) {
        const Ant *ant = &state->ants[i];
        if (ant->brain != DEAD && ant->x == cell.x && ant->y == cell.y) return true;
    }
    return is_enemy(state, cell);
}

/* The cell in front of an ant. */
static inline Cell ahead(const Ant *ant) {
    return (Cell){ant->x + ant->dx, ant->y + ant->dy};
}

/* The order that brings an ant to a cell beside it. */
static inline const char *towards(const Ant *ant, Cell cell) {
    int dx = cell.x - ant->x, dy = cell.y - ant->y;
    if (dx == ant->dx && dy == ant->dy) return "forward";
    return dx == ant->dy && dy == -ant->dx ? "left" : "right";
}

/* What is looked for; `context` is what `nearest` was given. */
typedef bool (*Wanted)(const State *state, Cell cell, const void *context);

/* Finds the nearest cell that is wanted, and the order that leads there; NULL if there is none. */
static inline const char *nearest(const State *state, const Ant *ant, Wanted wanted, const void *context,
                                  Cell *goal) {
    static Cell queue[MOST * MOST], first[MOST * MOST];
    static bool seen[MOST][MOST];
    const int steps[5][2] = {{ant->dx, ant->dy}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int head = 0, tail = 0;
    memset(seen, 0, sizeof seen);
    seen[ant->y][ant->x] = true;
    queue[tail++] = (Cell){ant->x, ant->y};
    for (; head < tail; head++) {
        Cell cell = queue[head];
        if (head > 0 && wanted(state, cell, context)) {
            *goal = cell;
            return towards(ant, first[head]);
        }
        for (int i = 0; i < 5; i++) {
            Cell to = {cell.x + steps[i][0], cell.y + steps[i][1]};
            int content = at(state, to);
            if (content == UNKNOWN || content == ROCK || content == WATER || seen[to.y][to.x]) continue;
            /* Other ants are in the way of the next step only: they move on. */
            if (head == 0 && is_taken(state, to)) continue;
            seen[to.y][to.x] = true;
            first[tail] = head == 0 ? to : first[head];
            queue[tail++] = to;
        }
    }
    return NULL;
}

/* ---- the conversation ---- */

/* Reads a line of numbers, at most `most`; returns how many, -1 at the end of the input. */
static inline int numbers(int *values, int most) {
    static char *line;
    static size_t size;
    if (getline(&line, &size, stdin) < 0) return -1;
    char *text = line, *end;
    int count = 0;
    for (; count < most; count++, text = end) {
        values[count] = (int)strtol(text, &end, 10);
        if (end == text) break;
    }
    return count;
}

/* Reads one message; false at the end of the input, and for the last one, which is not answered. */
static inline bool read_message(State *state) {
    int header[5], row[8], ids[MOST_ANTS];
    int length = numbers(header, 5), id_count = 0;
    if (length < 4) return false;
    state->turn = header[0];
    state->ant_count = header[1];
    state->players = header[2];
    state->mine_count = state->foreign_count = 0;
    /* The published version has five numbers, and a line of ids. Version 2 has four, an id in each ant's line, and
     * foreign ants. */
    if (length == 5) id_count = numbers(ids, MOST_ANTS);
    for (int i = 0; i < state->ant_count; i++) {
        int shift = length == 5 ? 0 : 1;
        if (numbers(row, 8) < 7) return false;
        state->ants[i] = (Ant){shift ? row[0] : i,     row[shift],     row[shift + 1], row[shift + 2],
                               row[shift + 3], row[shift + 4], row[shift + 5], row[shift + 6]};
        bool is_mine = length == 4;
        for (int j = 0; j < id_count; j++) is_mine = is_mine || ids[j] == i;
        if (is_mine && state->ants[i].brain == CONTROLLED) state->mine[state->mine_count++] = state->ants[i];
    }
    if (length == 4) {
        int foreign[1] = {0};
        numbers(foreign, 1);
        for (int i = 0; i < foreign[0]; i++) {
            if (numbers(row, 5) < 5) return false;
            if (i < MOST_FOREIGN)
                state->foreign[state->foreign_count++] = (Ant){-1, row[0], row[1], row[2], row[3], 0, 0, row[4]};
        }
    }
    if (numbers(row, 3) < 3) return false;
    state->width = row[0];
    state->height = row[1];
    for (int points = row[2]; points > 0; points--) {
        if (numbers(row, 4) < 4) return false;
        if (row[0] >= 0 && row[0] < MOST && row[1] >= 0 && row[1] < MOST)
            state->cells[row[1]][row[0]] = (signed char)row[2];
    }
    for (int i = 0; i < state->ant_count; i++)
        if (state->ants[i].brain != DEAD) state->visited[state->ants[i].y][state->ants[i].x] = true;
    return header[3] == 1;
}

/* Answers every message until the game is over. */
static inline void play(Move move) {
    static State state;
    memset(state.cells, UNKNOWN, sizeof state.cells);
    while (read_message(&state)) {
        Orders orders = {0};
        move(&state, &orders);
        const char *comma = "";
        for (int i = 0; i < state.mine_count; i++) {
            if (!orders.of[i][0]) continue;
            printf("%s%d:%s", comma, state.mine[i].id, orders.of[i]);
            comma = ",";
        }
        printf("\n");
        fflush(stdout);
    }
}

#endif
