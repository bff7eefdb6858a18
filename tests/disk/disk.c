/*
 * A disk that does as it is told. Preloaded into a program, this library stands between it
 * and the system wherever it writes files: a sync can be slow, wait at a gate or fail, and
 * the disk can be full. What was written, and what was synced, goes into a trace, from which
 * a test makes what a power cut would have left.
 *
 * The environment says what it works on:
 *   MANCALA_DISK_CONTROL   a file of `struct control`, shared with whoever gives the orders
 *   MANCALA_DISK_DELAY_US  without such a file: how long each sync takes
 *   MANCALA_DISK_FILES     only files in this folder are meant; left out, all are
 *   MANCALA_DISK_TRACE     where to note what happens; left out, nowhere
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The orders, and what has come of them. `tests/src/disk.rs` has the same words. */
struct control {
    _Atomic uint64_t delay_us;      /* each sync takes so long, at least */
    _Atomic uint64_t held;          /* while not 0, syncs wait */
    _Atomic uint64_t failing_syncs; /* so many syncs fail, from now on */
    _Atomic uint64_t room;          /* files may grow by so many bytes, all together */
    _Atomic uint64_t syncs_begun;
};

/* What is noted. `tests/src/disk.rs` has the same numbers. */
enum operation { WRITE = 1, SYNC = 2, FAILED_SYNC = 3, TRUNCATE = 4, REMOVE = 5 };

static struct control of_its_own = {.room = UINT64_MAX};
static struct control *control = &of_its_own;
static const char *folder;
static int trace = -1;

/* What is noted has the order in which it happened. */
static pthread_mutex_t in_order = PTHREAD_MUTEX_INITIALIZER;

static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_ftruncate)(int, off64_t);
static int (*real_unlink)(const char *);

static void give_up(const char *what)
{
    perror(what);
    abort();
}

__attribute__((constructor)) static void begin(void)
{
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    folder = getenv("MANCALA_DISK_FILES");

    const char *file = getenv("MANCALA_DISK_CONTROL");
    if (file) {
        int fd = open(file, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            give_up(file);
        control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (control == MAP_FAILED)
            give_up(file);
        close(fd);
    } else if (getenv("MANCALA_DISK_DELAY_US")) {
        control->delay_us = strtoull(getenv("MANCALA_DISK_DELAY_US"), NULL, 10);
    }
    file = getenv("MANCALA_DISK_TRACE");
    if (file) {
        trace = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (trace < 0)
            give_up(file);
    }
}

/* The name within the folder of a file that is meant, or NULL. */
static const char *name_of(const char *path)
{
    if (!folder)
        return path;
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0 || path[length] != '/')
        return NULL;
    return path + length + 1;
}

static const char *name_of_open(int fd, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    return name_of(path);
}

static void note(enum operation operation, const char *name, uint64_t at, const void *data, size_t length)
{
    if (trace < 0)
        return;
    uint64_t head[4] = {operation, at, strlen(name), length};
    struct iovec parts[] = {
        {head, sizeof head},
        {(void *)name, head[2]},
        {(void *)data, length},
    };
    if (writev(trace, parts, 3) != (ssize_t)(sizeof head + head[2] + length))
        give_up("the trace");
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int fails(void)
{
    uint64_t left = control->failing_syncs;
    while (left > 0)
        if (atomic_compare_exchange_weak(&control->failing_syncs, &left, left - 1))
            return 1;
    return 0;
}

static int sync_as_told(int (*real)(int), int fd)
{
    char path[PATH_MAX];
    const char *name = name_of_open(fd, path);
    if (!name)
        return real(fd);
    uint64_t begun = now_us();
    control->syncs_begun++;
    while (control->held)
        usleep(200);

    pthread_mutex_lock(&in_order);
    int result = -1, error = EIO;
    if (!fails()) {
        result = real(fd);
        error = errno;
    }
    note(result == 0 ? SYNC : FAILED_SYNC, name, 0, NULL, 0);
    pthread_mutex_unlock(&in_order);

    uint64_t delay = control->delay_us, spent = now_us() - begun;
    if (spent < delay)
        usleep(delay - spent);
    errno = error;
    return result;
}

int fsync(int fd)
{
    return sync_as_told(real_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_as_told(real_fdatasync, fd);
}

/* How many of so many bytes fit: a disk that is full still takes what makes no file larger. */
static size_t fitting(int fd, size_t length, off64_t at)
{
    struct stat64 file;
    uint64_t room = control->room;
    if (room == UINT64_MAX || fstat64(fd, &file) != 0)
        return length;
    uint64_t end = (uint64_t)at + length, size = (uint64_t)file.st_size;
    uint64_t growth = end > size ? end - size : 0;
    if (growth <= room) {
        control->room -= growth;
        return length;
    }
    control->room = 0;
    uint64_t too_much = growth - room;
    return too_much < length ? length - too_much : 0;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at)
{
    char path[PATH_MAX];
    const char *name = NULL;
    if (trace >= 0 || control != &of_its_own)
        name = name_of_open(fd, path);
    if (!name)
        return real_pwrite(fd, data, length, at);

    pthread_mutex_lock(&in_order);
    ssize_t written = -1;
    size_t fit = fitting(fd, length, at);
    if (fit == 0 && length > 0)
        errno = ENOSPC;
    else
        written = real_pwrite(fd, data, fit, at);
    int error = errno;
    if (written > 0)
        note(WRITE, name, (uint64_t)at, data, (size_t)written);
    pthread_mutex_unlock(&in_order);
    errno = error;
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at)
{
    return pwrite64(fd, data, length, at);
}

int ftruncate64(int fd, off64_t length)
{
    char path[PATH_MAX];
    const char *name = name_of_open(fd, path);
    pthread_mutex_lock(&in_order);
    int result = real_ftruncate(fd, length), error = errno;
    if (result == 0 && name)
        note(TRUNCATE, name, (uint64_t)length, NULL, 0);
    pthread_mutex_unlock(&in_order);
    errno = error;
    return result;
}

int ftruncate(int fd, off_t length)
{
    return ftruncate64(fd, length);
}

int unlink(const char *path)
{
    const char *name = name_of(path);
    pthread_mutex_lock(&in_order);
    int result = real_unlink(path), error = errno;
    if (result == 0 && name)
        note(REMOVE, name, 0, NULL, 0);
    pthread_mutex_unlock(&in_order);
    errno = error;
    return result;
}
