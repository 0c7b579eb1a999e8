/* Preloaded into a process: every sync takes SLOW_DISK_MS milliseconds more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void)
{
    const char *text = getenv("SLOW_DISK_MS");
    long ms = text ? atol(text) : 0;
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0)
        ;
}

#define SLOW(name)                                             \
    int name(int fd)                                           \
    {                                                          \
        int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); \
        wait_for_disk();                                       \
        return real(fd);                                       \
    }

SLOW(fsync)
SLOW(fdatasync)
SLOW(syncfs)
