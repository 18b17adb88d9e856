/* sandbox.c: the sandbox: limits, Landlock, descriptors. The filter of system calls is in filter.c. A worker calls
   ciso_prepare as its first step, opens its libraries, and calls ciso_enter before it decodes untrusted bytes. */
#define _GNU_SOURCE
#include "ciso_sandbox.h"
#include "ciso_files.h"
#include "files.h"
#include "filter.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system calls and rights of Landlock (landlock(7)), which older kernel headers lack. */
#define CREATE_RULESET 444
#define RESTRICT_SELF 446
#define RULESET_VERSION 1
#define READ_RIGHTS 0xDull /* EXECUTE, READ_FILE, READ_DIR */

/* struct landlock_ruleset_attr: the rights that are handled, and without rules all refused. */
struct ruleset {
    uint64_t files, network, scope; /* bits of LANDLOCK_ACCESS_FS_…, LANDLOCK_ACCESS_NET_… and LANDLOCK_SCOPE_… */
};

/* Adds a Landlock layer for the calling thread and threads that it starts: unless `allows_reads`, opening any file is
   refused as well. ENOSYS or EOPNOTSUPP: the kernel has no Landlock. */
static int restrict_files(int allows_reads) {
    /* The size of the structure and the rights in it depend on the version; unknown ones are refused by the kernel. */
    long version = syscall(CREATE_RULESET, NULL, 0, RULESET_VERSION);
    if (version < 1)
        return errno;
    /* Rights by version: 13 of the first, REFER, TRUNCATE, network, IOCTL_DEV, scopes. */
    unsigned rights = version < 2 ? 13 : version < 3 ? 14 : version < 5 ? 15 : 16;
    struct ruleset set = {
        .files = (1ull << rights) - 1, .network = version >= 4 ? 3 : 0, .scope = version >= 6 ? 3 : 0};
    if (allows_reads)
        set.files &= ~READ_RIGHTS;
    size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
    int rules = (int)syscall(CREATE_RULESET, &set, size, 0);
    if (rules < 0)
        return errno;
    int error = syscall(RESTRICT_SELF, rules, 0) == 0 ? 0 : errno;
    close(rules);
    return error;
}

int ciso_prepare(void) {
    const struct rlimit none = {0};
    /* Each arena reserves 64 MB of address space. Tiles are decoded on several threads: with one arena for all, a HEIC
       of 12 megapixels takes 12 % more processor time. */
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    mallopt(M_ARENA_MAX, processors < 2 ? 2 : processors > 8 ? 8 : (int)processors);
    /* Constant thresholds: those that grow with the blocks leave 22 MB in an idle worker, which malloc_trim(3) does not
       return, because it does not trim the ends of further arenas. */
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    /* A memfd that would be too large is an error (EFBIG), also by a limit of the host. */
    signal(SIGXFSZ, SIG_IGN);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
        setrlimit(RLIMIT_CORE, &none) < 0)
        return errno;
    /* Without Landlock, the worker relies on the filter alone. */
    restrict_files(1);
    /* Files that the C library and this library read when they need them, also where they are missing. */
    ciso_keep_file_or_absence("/sys/devices/system/cpu/online");
    ciso_keep_file_or_absence("/proc/loadavg");
    ciso_keep_file_or_absence("/proc/sys/vm/overcommit_memory");
    return 0;
}

/* Address space of this process in bytes; 0 if it cannot be read. */
static uint64_t mapped_bytes(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Lowers a limit, soft and hard. */
static int lower(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
        return errno;
    /* Limits of the environment that are lower stay. */
    if (value < limit.rlim_max)
        limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &limit) == 0 ? 0 : errno;
}

/* Lowers the limits of the process. RLIMIT_AS counts the address space that the libraries have mapped already. */
static int lower_limits(const struct ciso_limits *limits) {
    uint64_t mapped = mapped_bytes();
    uint64_t space = mapped == 0 || limits->memory > UINT64_MAX - mapped ? RLIM_INFINITY : mapped + limits->memory;
    int error = lower(RLIMIT_AS, space);
    if (error == 0)
        error = lower(RLIMIT_FSIZE, limits->memory);
    if (error == 0)
        error = lower(RLIMIT_CPU, limits->cpu_seconds);
    if (error == 0)
        error = lower(RLIMIT_NOFILE, limits->descriptors);
    if (error == 0)
        error = lower(RLIMIT_MSGQUEUE, 0);
    return error;
}

int ciso_enter(const struct ciso_limits *limits, unsigned *mechanisms) {
    /* The order matters: the filter comes last, because the steps before it make calls that it refuses. */
    int error = ciso_close_others();
    if (error == 0)
        error = lower_limits(limits);
    if (error == 0)
        error = ciso_handle_trapped_calls();
    if (error != 0)
        return error;
    unsigned used = restrict_files(0) == 0 ? CISO_LANDLOCK : 0;
    error = ciso_filter_calls();
    if (error == 0)
        *mechanisms = used | CISO_SECCOMP;
    return error;
}
