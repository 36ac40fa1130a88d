/* An agent for Petri without any library: attacks the neighbour with most energy if it can afford to, has a child
 * when there is plenty, and rests otherwise.
 *
 *     cc -O2 -o agent agent.c
 *
 * The host writes its messages without blanks and with the keys in one order, but a careful reader does not rely on
 * that: it looks for a key and skips what may stand between it and its value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const WAYS[8] = {"north_west", "north", "north_east", "west",
                                    "east", "south_west", "south", "south_east"};

/* The text behind a key, or NULL. */
static const char *after(const char *text, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *at = text ? strstr(text, quoted) : NULL;
    if (!at) return NULL;
    at += strlen(quoted);
    return at + strspn(at, " :");
}

static int number(const char *text, const char *key, int otherwise) {
    const char *at = after(text, key);
    return at ? atoi(at) : otherwise;
}

int main(void) {
    static char line[4096]; /* a message is shorter than 2,000 bytes */
    while (fgets(line, sizeof line, stdin)) {
        int energy = number(line, "energy", 0); /* our own comes first */
        const char *neighbors = after(line, "neighbors");
        int best = 0, way = -1, around = 0;
        for (int i = 0; i < 8; i++) {
            int other = number(after(neighbors, WAYS[i]), "energy", 0);
            around += other > 0;
            if (other > best) best = other, way = i;
        }
        if (energy >= 8 && around < 3)
            puts("{\"action\":\"replicate\"}");
        else if (way >= 0 && best > 5)
            printf("{\"action\":\"attack\",\"target\":\"%s\"}\n", WAYS[way]);
        else
            puts("{\"action\":\"rest\"}");
        fflush(stdout);
    }
    return 0;
}
