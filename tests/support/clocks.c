/* Preloaded into the processes of one server: its machine's clocks run as a file says that all of them map.
 *
 * CLOCK_BOOTTIME runs faster or slower. CLOCK_MONOTONIC is behind, as after a time for which the machine was suspended.
 * CLOCK_REALTIME stands still, if an instant is set. The calls that wait until a time of CLOCK_MONOTONIC wait by the same clock. One process stops at its next look.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

struct set { int64_t percent, base, behind, stops, instant; };

static struct set unset;
static volatile struct set *set = &unset;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CLOCKS_OF_TESTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof *set, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) set = mapped;
    close(file);
}

static struct timespec later(const struct timespec *time, int64_t nanoseconds) {
    int64_t all = time->tv_sec * SECOND + time->tv_nsec + nanoseconds;
    return (struct timespec){.tv_sec = all / SECOND, .tv_nsec = all % SECOND};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = syscall(SYS_clock_gettime, clock, time);
    if (failed) return failed;
    if (clock == CLOCK_REALTIME && set->instant) *time = later(&(struct timespec){0}, set->instant);
    if (clock == CLOCK_MONOTONIC) *time = later(time, -set->behind);
    if (clock == CLOCK_BOOTTIME) {
        int64_t since = time->tv_sec * SECOND + time->tv_nsec - set->base;
        *time = later(time, since / 100 * set->percent);
        if (set->stops == getpid()) {
            set->stops = 0;
            raise(SIGSTOP);
        }
    }
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    int (*real)(clockid_t, int, const struct timespec *, struct timespec *) = dlsym(RTLD_NEXT, "clock_nanosleep");
    int is_shifted = clock == CLOCK_MONOTONIC && flags == TIMER_ABSTIME;
    struct timespec shifted = later(until, is_shifted ? set->behind : 0);
    return real(clock, flags, &shifted, left);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
    int (*real)(sem_t *, clockid_t, const struct timespec *) = dlsym(RTLD_NEXT, "sem_clockwait");
    struct timespec shifted = later(until, clock == CLOCK_MONOTONIC ? set->behind : 0);
    return real(semaphore, clock, &shifted);
}
