/* Messages and memory from a process that the receiver does not trust. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "ciso_memory.h"
#include "workers.h"

static void make_pair(int sockets[2]) {
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
}

/* Sends one message with `count` copies of a descriptor, more than ciso_send allows. */
static void send_descriptors(int socket, int descriptor, size_t count) {
    static union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(253 * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = "x", .iov_len = 1};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    control.header =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(count * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    for (size_t i = 0; i < count; i++)
        memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &descriptor, sizeof descriptor);
    CHECK_EQUAL(sendmsg(socket, &header, 0), 1);
}

static void descriptors_arrive_closed_on_exec(void) {
    int sockets[2];
    struct ciso_message message;
    char bytes[10];
    make_pair(sockets);
    size_t before = descriptor_count();
    int sent[] = {STDIN_FILENO, STDOUT_FILENO};
    CHECK_EQUAL(ciso_send(sockets[0], "hello", 5, sent, 2, LIMIT), 0);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, sizeof bytes, &message, LIMIT), 0);
    CHECK_EQUAL(message.length, 5);
    CHECK_EQUAL(message.count, 2);
    CHECK_EQUAL(fcntl(message.descriptors[1], F_GETFD), FD_CLOEXEC);
    ciso_close_descriptors(&message);
    CHECK_EQUAL(descriptor_count(), before);
}

static void excess_descriptors_are_closed(void) {
    int sockets[2];
    struct ciso_message message;
    char bytes[10];
    make_pair(sockets);
    size_t before = descriptor_count();
    for (size_t count = CISO_MAX_DESCRIPTORS + 1; count <= 253; count += 59) {
        send_descriptors(sockets[0], STDOUT_FILENO, count);
        CHECK_EQUAL(ciso_receive(sockets[1], bytes, sizeof bytes, &message, LIMIT), EBADMSG);
        CHECK_EQUAL(message.count, 0);
        CHECK_EQUAL(descriptor_count(), before);
    }
    send_descriptors(sockets[0], STDOUT_FILENO, CISO_MAX_DESCRIPTORS);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, sizeof bytes, &message, LIMIT), 0);
    CHECK_EQUAL(message.count, CISO_MAX_DESCRIPTORS);
    ciso_close_descriptors(&message);
    CHECK_EQUAL(descriptor_count(), before);
}

/* A receiver that cannot open more descriptors gets none of the message. */
static void a_full_table_of_descriptors_is_an_error(void) {
    int sockets[2];
    struct ciso_message message;
    char bytes[10];
    make_pair(sockets);
    send_descriptors(sockets[0], STDOUT_FILENO, 3);
    struct rlimit limit, lower;
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int next = dup(0);
    size_t before = descriptor_count() - 1;
    close(next);
    lower = limit;
    lower.rlim_cur = (rlim_t)next + 1;
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &lower), 0);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, sizeof bytes, &message, LIMIT), EMFILE);
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQUAL(descriptor_count(), before);
}

static void long_and_empty_messages_are_refused(void) {
    static char bytes[CISO_MAX_MESSAGE + 1];
    int sockets[2];
    struct ciso_message message;
    make_pair(sockets);
    CHECK_EQUAL(send(sockets[0], bytes, 11, 0), 11);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, 10, &message, LIMIT), EBADMSG);
    CHECK_EQUAL(send(sockets[0], bytes, 0, 0), 0);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, 10, &message, LIMIT), EPIPE);
    CHECK_EQUAL(ciso_send(sockets[0], bytes, 0, NULL, 0, LIMIT), EINVAL);
    CHECK_EQUAL(ciso_send(sockets[0], bytes, sizeof bytes, NULL, 0, LIMIT), EINVAL);
    CHECK_EQUAL(ciso_send(sockets[0], bytes, CISO_MAX_MESSAGE, NULL, 0, LIMIT), 0);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, sizeof bytes, &message, LIMIT), 0);
    CHECK_EQUAL(message.length, CISO_MAX_MESSAGE);
}

static void deadlines_end_both_directions(void) {
    static char bytes[CISO_MAX_MESSAGE];
    int sockets[2], error = 0;
    struct ciso_message message;
    make_pair(sockets);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, sizeof bytes, &message, 0), ETIMEDOUT);
    CHECK_EQUAL(ciso_receive(sockets[1], bytes, sizeof bytes, &message, monotonic_now() + 1000000), ETIMEDOUT);
    for (int i = 0; i < 10000 && error == 0; i++)
        error = ciso_send(sockets[0], bytes, sizeof bytes, NULL, 0, monotonic_now() + 1000000);
    CHECK_EQUAL(error, ETIMEDOUT);
    close(sockets[1]);
    CHECK_EQUAL(ciso_send(sockets[0], bytes, sizeof bytes, NULL, 0, LIMIT), EPIPE);
    CHECK_EQUAL(ciso_receive(sockets[0], bytes, sizeof bytes, &message, LIMIT), EPIPE);
}

static void memory_of_a_worker_is_mapped(void) {
    struct ciso_worker worker = start_worker("sandbox");
    struct ciso_message message;
    char bytes[20], *address;
    size_t size;
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(ciso_send(worker.socket, "memory", 7, NULL, 0, LIMIT), 0);
        CHECK_EQUAL(ciso_receive(worker.socket, bytes, sizeof bytes, &message, LIMIT), 0);
        CHECK_EQUAL(message.count, 1);
        CHECK_EQUAL(ciso_memory_check(message.descriptors[0], &size), 0);
        CHECK_EQUAL(size, 1000);
        CHECK_EQUAL(ciso_memory_map(message.descriptors[0], size, i == 1, (void **)&address), 0);
        ciso_close_descriptors(&message);
        CHECK(address[0] == 'x' && address[999] == 'x');
        if (i == 1)
            address[0] = 'y';
        ciso_memory_unmap(address, size);
    }
    ciso_forget(&worker, NULL);
}

static void check_refused(int descriptor) {
    size_t size = 7;
    CHECK(descriptor >= 0);
    CHECK_EQUAL(ciso_memory_check(descriptor, &size), EBADMSG);
    CHECK_EQUAL(size, 7);
    close(descriptor);
}

/* A memfd of 4096 bytes that were written, with the flags and seals; an empty one of huge pages. */
static int made_memory(unsigned flags, int seals) {
    int memory = memfd_create("test", flags | MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(memory >= 0);
    static const char bytes[4096];
    const size_t size = (flags & MFD_HUGETLB) != 0 ? 0 : sizeof bytes;
    CHECK(size == 0 || write(memory, bytes, size) == (ssize_t)size);
    CHECK_EQUAL(fcntl(memory, F_ADD_SEALS, seals), 0);
    return memory;
}

static void other_descriptors_are_no_memory(void) {
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    char path[300];
    int ends[2];
    size_t size;
    int memory = made_memory(0, all);
    CHECK_EQUAL(ciso_memory_check(memory, &size), 0);
    CHECK_EQUAL(size, 4096);
    /* The contents can no longer change. */
    CHECK(write(memory, "x", 1) < 0 && ftruncate(memory, 0) < 0 && ftruncate(memory, 9999) < 0 &&
          fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) < 0);
    CHECK(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, memory, 0) == MAP_FAILED);
    check_refused(made_memory(0, 0));
    check_refused(made_memory(0, all & ~F_SEAL_SHRINK));
    check_refused(made_memory(0, all & ~F_SEAL_GROW));
    check_refused(made_memory(0, all & ~F_SEAL_WRITE));
    check_refused(made_memory(MFD_HUGETLB, all));
    snprintf(path, sizeof path, "%s/file", temporary_folder());
    check_refused(open(path, O_RDWR | O_CREAT, 0600));
    check_refused(open("/", O_RDONLY));
    check_refused(open("/dev/zero", O_RDONLY));
    check_refused(dup(STDOUT_FILENO));
    CHECK_EQUAL(pipe(ends), 0);
    check_refused(ends[0]);
    make_pair(ends);
    check_refused(ends[0]);
}

/* Reading a hole allocates memory, and fails with SIGBUS where none is left. */
static void memory_with_holes_is_refused(void) {
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const off_t page = sysconf(_SC_PAGESIZE);
    size_t size;
    for (int hole = 0; hole < 3; hole++) {
        int memory = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        CHECK_EQUAL(ftruncate(memory, 3 * page), 0);
        for (int i = 0; i < 3; i++)
            CHECK_EQUAL(pwrite(memory, "x", i != hole, i * page), i != hole);
        CHECK_EQUAL(fcntl(memory, F_ADD_SEALS, all), 0);
        check_refused(memory);
    }
    /* Allocated, but not written. */
    int memory = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK_EQUAL(fallocate(memory, 0, 0, 3 * page), 0);
    CHECK_EQUAL(fcntl(memory, F_ADD_SEALS, all), 0);
    check_refused(memory);
    /* The sender fills its holes. */
    for (int written = 0; written < 4; written++) {
        char byte = 'y';
        CHECK_EQUAL(ciso_memory_new((size_t)(100 * page), &memory), 0);
        if (written < 3)
            CHECK_EQUAL(pwrite(memory, "x", 1, written * 40 * page), 1);
        CHECK_EQUAL(ciso_memory_seal(memory, (size_t)(99 * page + 1)), 0);
        CHECK_EQUAL(ciso_memory_check(memory, &size), 0);
        CHECK_EQUAL(size, 99 * page + 1);
        CHECK_EQUAL(pread(memory, &byte, 1, 40 * page), 1);
        CHECK_EQUAL(byte, written == 1 ? 'x' : 0);
        close(memory);
    }
}

/* Instead of the signal SIGXFSZ. */
static void memory_above_the_limit_of_files_is_refused(void) {
    const struct rlimit limit = {8192, 8192};
    int memory;
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQUAL(ciso_memory_new(8193, &memory), EFBIG);
    CHECK_EQUAL(ciso_memory_new(8192, &memory), 0);
    close(memory);
}

/* The reader sees what is written later; no page disappears. */
static void pinned_memory_is_shared_and_has_no_new_holes(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 64 * page;
    int memory;
    char *address;
    const char *seen;
    CHECK_EQUAL(ciso_memory_new(size, &memory), 0);
    CHECK_EQUAL(ciso_memory_map_to_write(memory, size, (void **)&address), 0);
    CHECK_EQUAL(ciso_memory_map_pinned(memory, size, (const void **)&seen), EBADMSG);
    CHECK_EQUAL(ciso_memory_pin(memory), 0);
    CHECK_EQUAL(ciso_memory_map_pinned(memory, size - page, (const void **)&seen), EBADMSG);
    CHECK_EQUAL(ciso_memory_map_pinned(memory, size, (const void **)&seen), 0);
    CHECK_EQUAL(ciso_memory_first_hole(memory, 0), 0);
    CHECK_EQUAL(ciso_memory_allocate(memory, address, 0, 16 * page), 0);
    /* A page has up to 2 MiB (/sys/kernel/mm/transparent_hugepage/shmem_enabled). */
    CHECK(ciso_memory_first_hole(memory, 0) >= 16 * page);
    CHECK_EQUAL(ciso_memory_allocate(memory, address, 16 * page, size - 16 * page), 0);
    CHECK_EQUAL(ciso_memory_first_hole(memory, 16 * page), size);
    address[size - 1] = 7;
    CHECK_EQUAL(seen[size - 1], 7);
    CHECK(madvise(address, page, MADV_REMOVE) < 0);
    CHECK(fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)page) < 0);
    CHECK(ftruncate(memory, 0) < 0);
    CHECK(pwrite(memory, "x", 1, 0) < 0);
    CHECK_EQUAL(ciso_memory_first_hole(memory, 0), size);
    ciso_memory_unmap(address, size);
    ciso_memory_unmap((void *)seen, size);
    close(memory);
}

int main(void) {
    static const test tests[] = {
        TEST(descriptors_arrive_closed_on_exec),
        TEST(excess_descriptors_are_closed),
        TEST(a_full_table_of_descriptors_is_an_error),
        TEST(long_and_empty_messages_are_refused),
        TEST(deadlines_end_both_directions),
        TEST(memory_of_a_worker_is_mapped),
        TEST(other_descriptors_are_no_memory),
        TEST(memory_with_holes_is_refused),
        TEST(memory_above_the_limit_of_files_is_refused),
        TEST(pinned_memory_is_shared_and_has_no_new_holes),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
