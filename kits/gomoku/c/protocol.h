/* The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
 *
 * Standard output belongs to the protocol: print to stderr, which is kept in the replay. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { EMPTY, ME, THEM, FORBIDDEN };
enum { LEAST = 5, MOST = 32 }; /* sides of a board */

typedef struct {
    int x, y;
} Cell;

typedef struct {
    int x, y, who;
} Stone;

/* What the manager said with INFO; 0 or empty if it did not. Times are in milliseconds. */
typedef struct {
    long timeout_turn, timeout_match, time_left, max_memory, game_type, rule;
    char folder[4096];
} Info;

/* The position in which the bot has to move. */
typedef struct {
    int width, height;
    int cells[MOST][MOST]; /* cells[y][x] is EMPTY, ME, THEM or FORBIDDEN */
    int stone_count;
    Stone stones[MOST * MOST]; /* in the order in which they were played */
    Info info;
} State;

/* Yours: a free cell. */
typedef Cell (*Move)(const State *state);

static inline bool inside(const State *state, int x, int y) {
    return x >= 0 && x < state->width && y >= 0 && y < state->height;
}

static inline bool is_free(const State *state, int x, int y) {
    return inside(state, x, y) && state->cells[y][x] == EMPTY;
}

/* How many stones in a row `who` would have through this cell by playing there. */
static inline int row(const State *state, int x, int y, int who) {
    static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    int longest = 0;
    for (int d = 0; d < 4; d++) {
        int count = 1;
        for (int sign = -1; sign <= 1; sign += 2) {
            int dx = sign * directions[d][0], dy = sign * directions[d][1];
            for (int i = x + dx, j = y + dy; inside(state, i, j) && state->cells[j][i] == who; i += dx, j += dy)
                count++;
        }
        if (count > longest) longest = count;
    }
    return longest;
}

/* How long this move may take, in milliseconds. */
static inline long time_ms(const State *state) {
    long turn = state->info.timeout_turn, left = state->info.time_left;
    if (turn <= 0 || (left > 0 && left < turn)) turn = left;
    return turn > 0 ? turn : INT_MAX;
}

/* ---- the conversation ---- */

/* Writes a line, which leaves at once. */
static inline void say(const char *line) {
    puts(line);
    fflush(stdout);
}

/* Reads a line without blanks at its ends; NULL at the end of the input. */
static inline char *read_line(void) {
    static char *line;
    static size_t size;
    ssize_t length = getline(&line, &size, stdin);
    if (length < 0) return NULL;
    while (length > 0 && isspace((unsigned char)line[length - 1])) line[--length] = 0;
    char *start = line;
    while (isspace((unsigned char)*start)) start++;
    return start;
}

/* Reads the numbers of "7,8" or "15", at most three; returns how many, 0 if it is something else. */
static inline int numbers(const char *text, int *values) {
    for (int count = 0; count < 3;) {
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text) return 0;
        values[count++] = value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
        while (isspace((unsigned char)*end)) end++;
        if (*end == 0) return count;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}

static inline void clear(State *state) {
    memset(state->cells, 0, sizeof state->cells);
    state->stone_count = 0;
}

static inline void put(State *state, int x, int y, int who) {
    state->cells[y][x] = who;
    state->stones[state->stone_count++] = (Stone){x, y, who};
}

static inline void take_back(State *state, int x, int y) {
    int kept = 0;
    for (int i = 0; i < state->stone_count; i++)
        if (state->stones[i].x != x || state->stones[i].y != y) state->stones[kept++] = state->stones[i];
    state->stone_count = kept;
    state->cells[y][x] = EMPTY;
}

static inline void answer(State *state, Move move) {
    bool full = true;
    for (int y = 0; y < state->height; y++)
        for (int x = 0; x < state->width; x++) full = full && !is_free(state, x, y);
    if (full) {
        say("ERROR there is no free cell");
        return;
    }
    Cell cell = move(state);
    if (!is_free(state, cell.x, cell.y)) {
        fprintf(stderr, "move returned %d,%d, which is not a free cell\n", cell.x, cell.y);
        exit(1);
    }
    put(state, cell.x, cell.y, ME);
    printf("%d,%d\n", cell.x, cell.y);
    fflush(stdout);
}

static inline void take_info(Info *info, const char *text) {
    char key[32] = "", value[4096] = "";
    sscanf(text, "%31s %4095[^\n]", key, value);
    long number = atol(value);
    if (!strcasecmp(key, "timeout_turn")) info->timeout_turn = number;
    else if (!strcasecmp(key, "timeout_match")) info->timeout_match = number;
    else if (!strcasecmp(key, "time_left")) info->time_left = number;
    else if (!strcasecmp(key, "max_memory")) info->max_memory = number;
    else if (!strcasecmp(key, "game_type")) info->game_type = number;
    else if (!strcasecmp(key, "rule")) info->rule = number;
    else if (!strcasecmp(key, "folder")) strcpy(info->folder, value);
}

/* Answers the manager until it says END or is gone. */
static inline void play(Move move, const char *name) {
    static State state;
    char *line;
    while ((line = read_line())) {
        char word[32] = "";
        sscanf(line, "%31s", word);
        char *rest = line + strlen(word);
        while (isspace((unsigned char)*rest)) rest++;
        int cell[3], count = numbers(rest, cell);
        bool is_cell = count == 2;

        if (!strcasecmp(word, "START") || !strcasecmp(word, "RECTSTART")) {
            int sides = strcasecmp(word, "START") ? 2 : 1;
            bool fits = count == sides;
            for (int i = 0; fits && i < sides; i++) fits = cell[i] >= LEAST && cell[i] <= MOST;
            if (fits) {
                memset(&state, 0, sizeof state);
                state.width = cell[0];
                state.height = cell[sides - 1];
                say("OK");
            } else {
                say("ERROR boards have sides of 5 to 32");
            }
        } else if (!strcasecmp(word, "RESTART")) {
            clear(&state);
            say("OK");
        } else if (!strcasecmp(word, "INFO")) {
            take_info(&state.info, rest);
        } else if (!strcasecmp(word, "BEGIN")) {
            answer(&state, move);
        } else if (!strcasecmp(word, "TURN")) {
            if (is_cell && is_free(&state, cell[0], cell[1])) {
                put(&state, cell[0], cell[1], THEM);
                answer(&state, move);
            } else {
                say("ERROR not a free cell");
            }
        } else if (!strcasecmp(word, "BOARD")) {
            clear(&state);
            while ((line = read_line()) && strcasecmp(line, "DONE"))
                if (numbers(line, cell) == 3 && is_free(&state, cell[0], cell[1]))
                    put(&state, cell[0], cell[1], cell[2]);
            answer(&state, move);
        } else if (!strcasecmp(word, "SWAP2BOARD")) {
            clear(&state);
            /* Whoever answers with one cell takes White: black stones are the other's then. */
            for (int number = 0; (line = read_line()) && strcasecmp(line, "DONE"); number++)
                if (numbers(line, cell) >= 2 && is_free(&state, cell[0], cell[1]))
                    put(&state, cell[0], cell[1], number % 2 ? ME : THEM);
            if (state.stone_count > 0) {
                answer(&state, move);
            } else {
                int x = state.width / 2, y = state.height / 2;
                printf("%d,%d %d,%d %d,%d\n", x, y, x + 1, y, x - 1, y + 2);
                fflush(stdout);
            }
        } else if (!strcasecmp(word, "PLAY")) { /* comes only after SUGGEST, which this bot never says */
            if (is_cell && is_free(&state, cell[0], cell[1])) {
                put(&state, cell[0], cell[1], ME);
                printf("%d,%d\n", cell[0], cell[1]);
                fflush(stdout);
            } else {
                say("ERROR not a free cell");
            }
        } else if (!strcasecmp(word, "TAKEBACK")) {
            if (is_cell && inside(&state, cell[0], cell[1])) {
                take_back(&state, cell[0], cell[1]);
                say("OK");
            } else {
                say("ERROR not a cell");
            }
        } else if (!strcasecmp(word, "ABOUT")) {
            printf("name=\"%s\", version=\"1.0\", author=\"\", country=\"\"\n", name);
            fflush(stdout);
        } else if (!strcasecmp(word, "END")) {
            return;
        } else if (*word) {
            printf("UNKNOWN %s\n", word);
            fflush(stdout);
        }
    }
}

#endif
