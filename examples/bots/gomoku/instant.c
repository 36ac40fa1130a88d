/* A brain that answers at once: the free cell that comes next in a fixed scattered order.
 * For measuring managers, not for winning. Build: cc -O2 -o instant instant.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int size = 20, next = 0;
static unsigned char taken[32 * 32];

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0) exit(0);
}

static void play(void) {
    char text[32];
    int cells = size * size;
    for (; next < cells; next++) {
        /* 97 is prime to every area in use, so that every cell comes up once. */
        int cell = (int)((long)next * 97 % cells);
        if (taken[cell]) continue;
        taken[cell] = 1;
        snprintf(text, sizeof text, "%d,%d\n", cell % size, cell / size);
        say(text);
        return;
    }
    say("ERROR the board is full\n");
}

static void mark(const char *text) {
    int x, y;
    if (sscanf(text, "%d,%d", &x, &y) == 2 && x >= 0 && y >= 0 && x < size && y < size)
        taken[y * size + x] = 1;
}

static void line(char *text) {
    static int listing = 0;
    if (!strncmp(text, "INFO", 4)) return;
    if (!strncmp(text, "TURN ", 5)) { mark(text + 5); play(); }
    else if (!strncmp(text, "BEGIN", 5)) play();
    else if (!strncmp(text, "START ", 6)) {
        size = atoi(text + 6);
        if (size < 5 || size > 32) { say("ERROR sizes 5 to 32\n"); return; }
        memset(taken, 0, sizeof taken); next = 0; say("OK\n");
    }
    else if (!strncmp(text, "RESTART", 7)) { memset(taken, 0, sizeof taken); next = 0; say("OK\n"); }
    else if (!strncmp(text, "ABOUT", 5)) say("name=\"pbrain-instant\", version=\"1.0\"\n");
    else if (!strncmp(text, "BOARD", 5)) { memset(taken, 0, sizeof taken); next = 0; listing = 1; }
    else if (!strncmp(text, "DONE", 4)) { listing = 0; play(); }
    else if (!strncmp(text, "END", 3)) exit(0);
    else if (listing) mark(text);
    else if (*text) say("UNKNOWN\n");
}

int main(void) {
    static char buffer[65536];
    size_t filled = 0;
    for (;;) {
        ssize_t count = read(0, buffer + filled, sizeof buffer - filled);
        if (count <= 0) return 0;
        filled += (size_t)count;
        char *start = buffer, *end;
        while ((end = memchr(start, '\n', filled - (size_t)(start - buffer)))) {
            *end = 0;
            line(start);
            start = end + 1;
        }
        filled -= (size_t)(start - buffer);
        memmove(buffer, start, filled);
        if (filled == sizeof buffer) return 1;
    }
}
