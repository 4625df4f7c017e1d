/* Notes what a program writes to files, in order, for a test of power losses.
   LD_PRELOAD it; POWER_LOSS names the file that it writes to. A record is
   kind (1 byte: W write, T truncate, S sync, U unlink), length of the path, offset, length of
   the data (8 bytes each), the path, the data. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(int journal, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    const char *rest = data;
    while (size) {
        ssize_t n = real(journal, rest, size);
        if (n <= 0) abort();
        rest += n, size -= n;
    }
}

static void note_path(char kind, const char *path, int64_t offset, const void *data,
                      int64_t size) {
    static int journal = -1;
    int64_t length = strlen(path);
    if (!getenv("POWER_LOSS") || !strstr(path, "/watched/") || strstr(path, "-shm")) return;
    if (journal < 0) journal = open(getenv("POWER_LOSS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    int64_t sizes[3] = {length, offset, data ? size : 0};
    put(journal, &kind, 1);
    put(journal, sizes, sizeof sizes);
    put(journal, path, length);
    if (data) put(journal, data, size);
}

static void note(char kind, int fd, int64_t offset, const void *data, int64_t size) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    note_path(kind, path, offset, data, size);
}

#define AROUND(call) \
    pthread_mutex_lock(&lock); \
    __typeof__(call) result = call; \
    if (result >= 0)

#define DONE pthread_mutex_unlock(&lock); return result;

#define REAL(name) if (!real) real = dlsym(RTLD_NEXT, name);

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    REAL("pwrite64") AROUND(real(fd, data, size, offset)) note('W', fd, offset, data, result);
    DONE
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    return pwrite64(fd, data, size, offset);
}
int ftruncate64(int fd, off64_t size) {
    static int (*real)(int, off64_t);
    REAL("ftruncate64") AROUND(real(fd, size)) note('T', fd, size, 0, 0);
    DONE
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int unlink(const char *path) {
    static int (*real)(const char *);
    REAL("unlink") AROUND(real(path)) note_path('U', path, 0, 0, 0);
    DONE
}
int fsync(int fd) {
    static int (*real)(int);
    REAL("fsync") AROUND(real(fd)) note('S', fd, 0, 0, 0);
    DONE
}
int fdatasync(int fd) {
    static int (*real)(int);
    REAL("fdatasync") AROUND(real(fd)) note('S', fd, 0, 0, 0);
    DONE
}
