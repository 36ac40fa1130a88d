/* The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
 *
 * A long thought asks `stopped` now and then: it hears `isready` and `stop` meanwhile. Standard
 * output belongs to the protocol: print to stderr, which is kept in the replay. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <ctype.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CELLS = 255 * 255 };
enum { FAR = 1000000 }; /* turns to a cell that cannot be reached */

typedef enum { UP, DOWN, LEFT, RIGHT, STAY } Step;
static const char *const STEP_NAMES[] = {"UP", "DOWN", "LEFT", "RIGHT", "STAY"};
static const int STEPS[4][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}};

typedef struct {
    int cell;
    int target; /* while it is in mud: the cell it will arrive at */
    int mud;    /* turns until then; its moves are ignored meanwhile */
    double score;
} Player;

/* The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left. */
typedef struct {
    int width, height;
    int cheese_count;
    int cheese[MOST_CELLS];
    Player me, other;
    bool is_rat;
    int turn;
    long move_ms, preprocessing_ms, postprocessing_ms; /* limits; 0 for a move: none */
    int costs[MOST_CELLS][4];                          /* turns that a move takes; 0: there is a wall */
} State;

/* Yours. */
typedef Step (*Move)(const State *state);

/* Where a step leads. */
static inline int neighbour(const State *state, int cell, int step) {
    return cell + STEPS[step][1] * state->width + STEPS[step][0];
}

/* For every cell: in how many turns it is reached from `start`, and by which first step. */
typedef struct {
    int turns[MOST_CELLS];
    Step first[MOST_CELLS];
} Ways;

static inline const Ways *ways(const State *state, int start) {
    static Ways found;
    static int queue[MOST_CELLS + 1];
    static bool waits[MOST_CELLS];
    int cells = state->width * state->height, head = 0, tail = 0;
    for (int cell = 0; cell < cells; cell++) {
        found.turns[cell] = FAR;
        found.first[cell] = STAY;
        waits[cell] = false;
    }
    found.turns[start] = 0;
    queue[tail++] = start;
    while (head != tail) {
        int cell = queue[head];
        head = (head + 1) % (MOST_CELLS + 1);
        waits[cell] = false;
        for (int step = 0; step < 4; step++) {
            int cost = state->costs[cell][step], to = neighbour(state, cell, step);
            if (cost == 0 || found.turns[cell] + cost >= found.turns[to]) continue;
            found.turns[to] = found.turns[cell] + cost;
            found.first[to] = cell == start ? (Step)step : found.first[cell];
            if (waits[to]) continue;
            waits[to] = true;
            queue[tail] = to;
            tail = (tail + 1) % (MOST_CELLS + 1);
        }
    }
    return &found;
}

/* ---- lines: read by ourselves, so that we can look whether there are any ---- */

static struct {
    char *text;
    size_t start, looked, filled, size;
    bool over, stop, late;
} input;

static inline void say(const char *line) {
    puts(line);
    fflush(stdout);
}

/* Reads what is there; waits for it. */
static inline void read_more(void) {
    if (input.start > 0) {
        memmove(input.text, input.text + input.start, input.filled - input.start);
        input.filled -= input.start;
        input.looked -= input.start;
        input.start = 0;
    }
    if (input.size - input.filled < 4096) {
        input.size = 2 * input.size + 8192;
        input.text = realloc(input.text, input.size);
        if (!input.text) exit(1);
    }
    ssize_t count = read(0, input.text + input.filled, input.size - input.filled - 1);
    if (count <= 0) input.over = input.stop = true;
    else input.filled += (size_t)count;
}

/* Does at once what cannot wait until a thought is over. Such lines become blank. */
static inline void look_at_lines(void) {
    char *end;
    while (input.looked < input.filled &&
           (end = memchr(input.text + input.looked, '\n', input.filled - input.looked))) {
        char word[32] = "";
        char *line = input.text + input.looked;
        *end = 0;
        sscanf(line, "%31s", word);
        bool urgent = true;
        if (!strcmp(word, "isready")) say("readyok");
        else if (!strcmp(word, "stop")) input.stop = true;
        else if (!strcmp(word, "timeout")) input.stop = input.late = true;
        else urgent = false;
        if (!strcmp(word, "go") || !strcmp(word, "startpreprocessing")) input.stop = input.late = false;
        if (urgent) memset(line, ' ', (size_t)(end - line));
        *end = '\n';
        input.looked = (size_t)(end - input.text) + 1;
    }
}

/* Whether a thought has to end. */
static inline bool stopped(void) {
    struct pollfd stdin_ready = {.fd = 0, .events = POLLIN};
    while (!input.over && poll(&stdin_ready, 1, 0) > 0) {
        read_more();
        look_at_lines();
    }
    return input.stop;
}

/* The next line; NULL at the end of the input. */
static inline char *next_line(void) {
    while (input.start == input.looked) {
        if (input.over) return NULL;
        read_more();
        look_at_lines();
    }
    char *line = input.text + input.start;
    char *end = memchr(line, '\n', input.filled - input.start);
    *end = 0;
    if (end > line && end[-1] == '\r') end[-1] = 0;
    input.start = (size_t)(end - input.text) + 1;
    return line;
}

/* ---- keeping track ---- */

static inline void make_maze(State *state, int width, int height) {
    state->width = width;
    state->height = height;
    for (int cell = 0; cell < width * height; cell++) {
        int x = cell % width, y = cell / width;
        for (int step = 0; step < 4; step++) {
            int i = x + STEPS[step][0], j = y + STEPS[step][1];
            state->costs[cell][step] = i >= 0 && i < width && j >= 0 && j < height;
        }
    }
}

/* Between two cells, in both directions. */
static inline void set_cost(State *state, int a, int b, int turns) {
    for (int step = 0; step < 4; step++) {
        if (state->costs[a][step] && neighbour(state, a, step) == b) state->costs[a][step] = turns;
        if (state->costs[b][step] && neighbour(state, b, step) == a) state->costs[b][step] = turns;
    }
}

/* One turn of one player: it moves, or struggles on in the mud whatever its move is. */
static inline void advance(const State *state, Player *player, Step step) {
    if (player->mud > 0) {
        player->mud--;
    } else if (step != STAY && state->costs[player->cell][step]) {
        player->target = neighbour(state, player->cell, step);
        player->mud = state->costs[player->cell][step] - 1;
    }
    if (player->mud == 0) player->cell = player->target;
}

static inline bool has_cheese(const State *state, int cell) {
    for (int i = 0; i < state->cheese_count; i++)
        if (state->cheese[i] == cell) return true;
    return false;
}

static inline void remove_cheese(State *state, int cell) {
    int kept = 0;
    for (int i = 0; i < state->cheese_count; i++)
        if (state->cheese[i] != cell) state->cheese[kept++] = state->cheese[i];
    state->cheese_count = kept;
}

/* One turn of the game. */
static inline void step_game(State *state, Step mine, Step theirs) {
    state->turn++;
    advance(state, &state->me, mine);
    advance(state, &state->other, theirs);
    bool me = !state->me.mud && has_cheese(state, state->me.cell);
    bool other = !state->other.mud && has_cheese(state, state->other.cell);
    double worth = me && other && state->me.cell == state->other.cell ? 0.5 : 1;
    if (me) state->me.score += worth;
    if (other) state->other.score += worth;
    if (me) remove_cheese(state, state->me.cell);
    if (other) remove_cheese(state, state->other.cell);
}

static inline Step step_named(const char *name) {
    for (int step = 0; step < 4; step++)
        if (!strcmp(name, STEP_NAMES[step])) return (Step)step;
    return STAY;
}

/* After a restart: the history of moves ("UP LEFT STAY DOWN": the rat's and the python's) tells how
 * deep in mud a player is. A walk along it from the right start ends where the player is now.
 * Usually the start is the player's corner. */
static inline void recover_mud(const State *state, Player *player, const char *history, bool rat) {
    int last = state->width * state->height - 1;
    for (int i = -1; i <= last; i++) {
        int start = i >= 0 ? i : rat ? 0 : last;
        Player walker = {.cell = start, .target = start};
        const char *at = history;
        char name[16];
        int length;
        for (int number = 0; sscanf(at, "%15s%n", name, &length) == 1; number++, at += length)
            if ((number % 2 == 0) == rat) advance(state, &walker, step_named(name));
        if (walker.cell == player->cell) {
            player->target = walker.target;
            player->mud = walker.mud;
            return;
        }
    }
}

/* Reads a cell, "(3,4)", and goes on behind it; false if there is none. */
static inline bool next_cell(const State *state, const char **text, int *cell) {
    const char *open = strchr(*text, '(');
    int x, y;
    if (!open || sscanf(open, "(%d,%d)", &x, &y) != 2) return false;
    *cell = y * state->width + x;
    *text = strchr(open, ')') + 1;
    return true;
}

/* The value of a key in "rat:UP python:LEFT". */
static inline const char *value_of(const char *text, const char *key) {
    static char value[32];
    const char *at = strstr(text, key);
    value[0] = 0;
    if (at) sscanf(at + strlen(key), "%31s", value);
    return value;
}

/* ---- the conversation ---- */

/* Answers the engine until it is gone. */
static inline void play(Move move, const char *name) {
    static State state;
    char *line, *history = NULL;
    bool begun = false;
    while ((line = next_line())) {
        char word[32] = "";
        int length = 0;
        sscanf(line, "%31s%n", word, &length);
        const char *rest = line + length;
        Player *rat = state.is_rat ? &state.me : &state.other;
        Player *python = state.is_rat ? &state.other : &state.me;
        int a, b;

        if (!strcmp(word, "pyrat")) {
            printf("id name %s\n", name);
            say("pyratready");
        } else if (!strcmp(word, "newgame") || !strcmp(word, "recover")) {
            memset(&state, 0, sizeof state);
            state.is_rat = true;
            begun = false;
            free(history);
            history = NULL;
        } else if (!strcmp(word, "maze")) {
            int height = atoi(value_of(rest, "height:"));
            make_maze(&state, atoi(value_of(rest, "width:")), height);
        } else if (!strcmp(word, "walls")) {
            while (next_cell(&state, &rest, &a) && next_cell(&state, &rest, &b)) set_cost(&state, a, b, 0);
        } else if (!strcmp(word, "mud")) {
            while (next_cell(&state, &rest, &a) && next_cell(&state, &rest, &b))
                set_cost(&state, a, b, atoi(rest + 1) + 1);
        } else if (!strcmp(word, "cheese")) {
            state.cheese_count = 0;
            while (next_cell(&state, &rest, &a)) state.cheese[state.cheese_count++] = a;
        } else if (!strcmp(word, "player1")) {
            if (next_cell(&state, &rest, &a)) rat->cell = rat->target = a;
        } else if (!strcmp(word, "player2")) {
            if (next_cell(&state, &rest, &a)) python->cell = python->target = a;
        } else if (!strcmp(word, "timecontrol")) {
            state.move_ms = atol(value_of(rest, "move:"));
            state.preprocessing_ms = atol(value_of(rest, "preprocessing:"));
            state.postprocessing_ms = atol(value_of(rest, "postprocessing:"));
        } else if (!strcmp(word, "moves_history")) {
            history = strdup(rest);
            begun = true;
        } else if (!strcmp(word, "score")) {
            rat->score = atof(value_of(rest, "rat:"));
            python->score = atof(value_of(rest, "python:"));
        } else if (!strcmp(word, "youare")) {
            char role[16] = "";
            sscanf(rest, "%15s", role);
            if (!strcmp(role, "python")) {
                Player swapped = state.me;
                state.me = state.other;
                state.other = swapped;
                state.is_rat = false;
            }
            if (history) {
                recover_mud(&state, state.is_rat ? &state.me : &state.other, history, true);
                recover_mud(&state, state.is_rat ? &state.other : &state.me, history, false);
            }
        } else if (!strcmp(word, "startpreprocessing")) {
            say("preprocessingdone");
        } else if (!strcmp(word, "moves")) {
            Step rats = step_named(value_of(rest, "rat:")), pythons = step_named(value_of(rest, "python:"));
            /* The first ones come before the first turn. */
            if (begun) step_game(&state, state.is_rat ? rats : pythons, state.is_rat ? pythons : rats);
            begun = true;
        } else if (!strcmp(word, "go")) {
            begun = true;
            Step step = move(&state);
            stopped();
            /* After a time-out the engine has played STAY and does not want this move any more. */
            if (!input.late) {
                printf("move %s\n", STEP_NAMES[step]);
                fflush(stdout);
            }
        } else if (!strcmp(word, "ready?")) {
            say("ready");
        } else if (!strcmp(word, "startpostprocessing")) {
            say("postprocessingdone");
        }
        /* `setoption` is for options that a bot has declared; `debug`, `current_position` and
         * `gameover` tell nothing that this bot needs; what is not known is ignored. */
    }
    free(history);
}

#endif
