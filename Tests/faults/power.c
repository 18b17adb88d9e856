#include "power.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, FILES = 512 };

/* A page with its contents at the last sync. */
struct page {
    off_t number;
    size_t length; /* less than a page at the end of the file */
    struct page *next;
    unsigned char bytes[PAGE];
};

struct file {
    dev_t device;
    ino_t inode;
    int descriptor; /* a descriptor of our own: the program may close its */
    off_t size;     /* size at the last sync */
    bool is_changed;
    struct page *pages;
};

static struct file files[FILES];
static int count;

/* The system calls themselves, which bypass the wrappers of failing.c. */
static ssize_t read_at(int file, void *bytes, size_t length, off_t offset) {
    return syscall(SYS_pread64, file, bytes, length, offset);
}

static struct file *find(int descriptor) {
    struct stat status;
    if (syscall(SYS_fstat, descriptor, &status) || !S_ISREG(status.st_mode))
        return NULL;
    for (int i = 0; i < count; i++)
        if (files[i].inode == status.st_ino && files[i].device == status.st_dev)
            return &files[i];
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    int own = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
    if (own < 0 || count == FILES)
        return NULL;
    files[count] = (struct file){status.st_dev, status.st_ino, own, status.st_size, false, NULL};
    return &files[count++];
}

static void keep_page(struct file *file, off_t number) {
    for (struct page *page = file->pages; page; page = page->next)
        if (page->number == number)
            return;
    struct page *page = malloc(sizeof *page);
    if (!page)
        abort();
    ssize_t length = read_at(file->descriptor, page->bytes, PAGE, number * PAGE);
    page->number = number;
    page->length = length < 0 ? 0 : (size_t)length;
    page->next = file->pages;
    file->pages = page;
}

void power_keep(int descriptor, off_t offset, off_t length) {
    struct file *file = find(descriptor);
    struct stat status;
    if (!file || syscall(SYS_fstat, descriptor, &status))
        return;
    if (offset < 0)
        offset = lseek(descriptor, 0, SEEK_CUR);
    off_t end = length < 0 ? status.st_size : offset + length;
    file->is_changed = true;
    for (off_t number = offset / PAGE; number * PAGE < end; number++)
        keep_page(file, number);
}

void power_synced(int descriptor) {
    struct file *file = find(descriptor);
    struct stat status;
    if (!file || syscall(SYS_fstat, descriptor, &status))
        return;
    while (file->pages) {
        struct page *next = file->pages->next;
        free(file->pages);
        file->pages = next;
    }
    file->size = status.st_size;
    file->is_changed = false;
}

static unsigned next_random(unsigned *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void lose(struct file *file, bool all, unsigned *state) {
    static const unsigned char zeros[PAGE];
    bool is_longer = !all && next_random(state) % 2;
    for (struct page *page = file->pages; page; page = page->next) {
        if (!all && next_random(state) % 2)
            continue;
        syscall(SYS_pwrite64, file->descriptor, page->bytes, page->length, page->number * PAGE);
        /* Beyond the old end the file was empty: a hole reads as zeros. */
        struct stat status;
        off_t from = page->number * PAGE + (off_t)page->length;
        if (page->length < PAGE && !syscall(SYS_fstat, file->descriptor, &status) && status.st_size > from) {
            off_t rest = status.st_size - from, room = PAGE - (off_t)page->length;
            syscall(SYS_pwrite64, file->descriptor, zeros, rest < room ? rest : room, from);
        }
    }
    if (file->is_changed && !is_longer)
        syscall(SYS_ftruncate, file->descriptor, file->size);
}

_Noreturn void power_cut(unsigned seed) {
    unsigned state = seed * 2654435761u | 1;
    for (int i = 0; i < count; i++) {
        char link[40], path[PATH_MAX] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", files[i].descriptor);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length > 4 && !strcmp(path + length - 4, "-shm"))
            syscall(SYS_unlink, path);
        else
            lose(&files[i], seed % 3 == 0, &state);
    }
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;)
        pause();
}
