/* A gomoku brain that uses more memory than it may, in a process that hands it on to the next one all the time and ends: asked
 * for its second move, it never answers. `relay WORD`. Whatever it makes ends by itself after half a minute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 200 << 20, SECONDS = 30 };

static time_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* Each process has the memory, makes the next one, and ends. */
static void hand_on(void)
{
    time_t end = now() + SECONDS;
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(1);
    memset(memory, 1, SIZE);
    while (now() < end)
        if (fork() > 0)
            _exit(0);
    _exit(0);
}

int main(void)
{
    char line[256];
    int moves = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "START", 5)) {
            puts("OK");
        } else if (!strncmp(line, "BEGIN", 5) || !strncmp(line, "TURN", 4)) {
            if (moves++ == 1) {
                if (fork() == 0)
                    hand_on();
                sleep(SECONDS);
                return 1;
            }
            puts("7,7");
        }
        fflush(stdout);
    }
    return 0;
}
