/* memory.c: memory that two processes map. Encoded bytes go from host to worker, and pixels from worker to host
   (docs/decisions.md, "Pixels of a worker are sealed memory"). The checks assume that the other process is controlled
   by an attacker. */
#define _GNU_SOURCE
#include "ciso_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Seals of memory that never changes again. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
/* F_SEAL_FUTURE_WRITE, of Linux 5.1, refuses holes (fallocate(2), FALLOC_FL_PUNCH_HOLE), and not the writes of existing
   mappings. */
#define PINNED (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE)
/* The smallest page of any system. */
#define PAGE 4096

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x10
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

int ciso_memory_new(size_t size, int *descriptor) {
    struct rlimit limit;
    if (size > INT64_MAX)
        return EFBIG;
    /* ftruncate(2) would also send SIGXFSZ, which ends a host. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur)
        return EFBIG;
    /* These flags are the only ones that the filter of the sandbox allows. */
    int memory = memfd_create("sdimage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0)
        return errno;
    if (ftruncate(memory, (off_t)size) < 0) {
        int error = errno;
        close(memory);
        return error;
    }
    *descriptor = memory;
    return 0;
}

int ciso_memory_map_to_write(int descriptor, size_t size, void **address) {
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED)
        return errno;
    *address = mapped;
    return 0;
}

/* Writes zeros where nothing was written. fallocate(2) does not suffice: its pages remain holes until they are used. */
static int fill_holes(int descriptor, off_t size) {
    /* Never written. A constant would take its size in the library's file. */
    static char zeros[1 << 16];
    off_t hole = 0;
    while (hole < size && (hole = lseek(descriptor, hole, SEEK_HOLE)) < size) {
        off_t data = hole < 0 ? -1 : lseek(descriptor, hole, SEEK_DATA);
        /* No data follows: the hole reaches to the end. */
        if (data < 0 && errno == ENXIO)
            data = size;
        if (hole < 0 || data < 0)
            return errno;
        while (hole < data) {
            size_t count = data - hole < (off_t)sizeof zeros ? (size_t)(data - hole) : sizeof zeros;
            ssize_t written = pwrite(descriptor, zeros, count, hole);
            if (written < 0 && errno != EINTR)
                return errno;
            if (written > 0)
                hole += written;
        }
    }
    return 0;
}

int ciso_memory_seal(int descriptor, size_t size) {
    struct stat status;
    if (syscall(SYS_fstat, descriptor, &status) < 0)
        return errno;
    if (size > INT64_MAX || (off_t)size > status.st_size)
        return EINVAL;
    if ((off_t)size < status.st_size && ftruncate(descriptor, (off_t)size) < 0)
        return errno;
    /* Before the seals, which refuse all writes. */
    int error = fill_holes(descriptor, (off_t)size);
    if (error != 0)
        return error;
    return fcntl(descriptor, F_ADD_SEALS, SEALS | F_SEAL_SEAL) == 0 ? 0 : errno;
}

/* Reports that a descriptor is a file in ordinary memory. Huge pages (MFD_HUGETLB) can be missing when they are read,
   and the kernel sends SIGBUS. */
static bool is_ordinary(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

int ciso_memory_check(int descriptor, size_t *size) {
    struct stat status;
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS || !is_ordinary(descriptor))
        return EBADMSG;
    /* The sandbox allows this call to threads that block SIGSYS, too. */
    if (syscall(SYS_fstat, descriptor, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size < 0 ||
        (uint64_t)status.st_size > SIZE_MAX)
        return EBADMSG;
    /* Reading a hole allocates a page: where memory is accounted strictly and all is taken, the kernel sends SIGBUS. */
    if (status.st_size > 0 && lseek(descriptor, 0, SEEK_HOLE) != status.st_size)
        return EBADMSG;
    *size = (size_t)status.st_size;
    return 0;
}

int ciso_memory_map(int descriptor, size_t size, bool is_writable, void **address) {
    /* MAP_SHARED of a sealed memfd is refused before Linux 6.7. */
    void *mapped = mmap(NULL, size, PROT_READ | (is_writable ? PROT_WRITE : 0), MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED)
        return errno;
    *address = mapped;
    return 0;
}

int ciso_memory_allocate(int descriptor, void *address, size_t offset, size_t size) {
    /* Pages that are allocated in one call cost a third of those that faults allocate. */
    while (fallocate(descriptor, 0, (off_t)offset, (off_t)size) < 0)
        if (errno != EINTR)
            return errno;
    char *start = (char *)address + offset;
    if (madvise(start, size, MADV_POPULATE_WRITE) == 0)
        return 0;
    /* A write of each page, which may have contents. */
    for (size_t i = 0; i < size; i += PAGE) {
        volatile char *byte = start + i;
        *byte = *byte;
    }
    return 0;
}

int ciso_memory_pin(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, PINNED) == 0 ? 0 : errno;
}

int ciso_memory_map_pinned(int descriptor, size_t size, const void **address) {
    struct stat status;
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & PINNED) != PINNED || !is_ordinary(descriptor) ||
        syscall(SYS_fstat, descriptor, &status) < 0 || (uint64_t)status.st_size != size)
        return EBADMSG;
    /* Shared: what the other process writes later must be visible. */
    void *mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED)
        return errno;
    madvise(mapped, size, MADV_DONTFORK);
    *address = mapped;
    return 0;
}

size_t ciso_memory_first_hole(int descriptor, size_t offset) {
    off_t hole = lseek(descriptor, (off_t)offset, SEEK_HOLE);
    return hole < 0 ? 0 : (size_t)hole;
}

void ciso_memory_unmap(void *address, size_t size) {
    munmap(address, size);
}
