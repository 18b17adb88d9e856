/* A worker that lies: it passes messages on between the host and a true worker, and changes the replies as the image
 * demands. An image demands it by the text "LIE KIND NUMBER" anywhere in its bytes. Links to the program lie about the
 * arena, the first descriptor of a reply: they end in -none, -short, -device, -pipe, -open or -hole.
 *
 * The messages are those of Sources/SDImageIsolation/Channel.swift: a header, then a body, or in place of a long one
 * the last descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ciso_memory.h"
#include "ciso_message.h"
#include "ciso_worker.h"

struct header {
    uint32_t magic, kind;
    uint64_t number, length;
};

enum { KIND_CALL = 3, KIND_REPLY = 4 };

struct packet {
    unsigned char bytes[CISO_MAX_MESSAGE];
    struct ciso_message message;
};

static struct ciso_worker worker;
static char lie[32];
/* The end of the program's name: the lie about the arena. */
static const char *arena_lie = "";
static unsigned long long lie_number;

static void send_packet(int socket, const struct packet *packet, size_t length) {
    if (ciso_send(socket, packet->bytes, length, packet->message.descriptors, packet->message.count, UINT64_MAX) != 0)
        _exit(1);
}

/* --- The demand. */

static void find_lie(const void *bytes, size_t length) {
    const char *found = memmem(bytes, length, "LIE ", 4);
    char text[64] = "";
    if (found == NULL)
        return;
    size_t left = length - (size_t)(found - (const char *)bytes);
    memcpy(text, found, left < sizeof text - 1 ? left : sizeof text - 1);
    sscanf(text, "LIE %31s %llu", lie, &lie_number);
}

static void read_call(const struct packet *packet) {
    lie[0] = 0;
    find_lie(packet->bytes, packet->message.length);
    for (size_t i = 0; i < packet->message.count; i++) {
        size_t size;
        void *address;
        if (ciso_memory_check(packet->message.descriptors[i], &size) != 0 || size == 0 ||
            ciso_memory_map(packet->message.descriptors[i], size, false, &address) != 0)
            continue;
        find_lie(address, size);
        ciso_memory_unmap(address, size);
    }
}

/* --- Lies about descriptors. */

/* A memfd with the size and the seals. */
static int made_memory(unsigned flags, off_t size, int seals) {
    int memory = memfd_create("lie", flags | MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0 || ftruncate(memory, size) < 0 || fcntl(memory, F_ADD_SEALS, seals) < 0)
        _exit(2);
    return memory;
}

static off_t size_of(int descriptor) {
    return lseek(descriptor, 0, SEEK_END);
}

/* A descriptor of kind `lie_number`, in place of another. */
static int false_descriptor(int descriptor) {
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    const off_t size = size_of(descriptor);
    int ends[2];
    switch (lie_number) {
    case 0: return open("/dev/null", O_RDWR);
    case 1: return open("/dev/zero", O_RDWR);
    case 2: return pipe(ends) == 0 ? ends[0] : -1;
    case 3: return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 ? ends[0] : -1;
    case 4: return made_memory(0, size, 0);
    case 5: return made_memory(0, size, F_SEAL_SHRINK | F_SEAL_GROW);
    case 6: return made_memory(0, size, F_SEAL_WRITE);
    case 7: return made_memory(0, size / 2, all);
    case 8: return made_memory(0, 0, all);
    case 9: return made_memory(MFD_HUGETLB, 0, all);
    case 10: return open("/", O_RDONLY);
    case 11: return open("/proc/self/exe", O_RDONLY);
    default: return -1;
    }
}

/* Replaces the arena in the first reply that has one. */
static void replace_arena(struct ciso_message *message) {
    const int pinned = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;
    int ends[2], other = -1;
    if (*arena_lie == 0 || message->count == 0)
        return;
    off_t size = size_of(message->descriptors[0]);
    if (strcmp(arena_lie, "-short") == 0)
        other = made_memory(0, 1, pinned);
    else if (strcmp(arena_lie, "-device") == 0)
        other = open("/dev/null", O_RDWR);
    else if (strcmp(arena_lie, "-pipe") == 0 && pipe(ends) == 0)
        other = ends[0];
    else if (strcmp(arena_lie, "-open") == 0)
        other = made_memory(0, size, F_SEAL_SHRINK | F_SEAL_GROW);
    else if (strcmp(arena_lie, "-hole") == 0)
        other = made_memory(0, size, pinned);
    ciso_close_descriptors(message);
    if (other >= 0)
        message->descriptors[message->count++] = other;
    arena_lie = "";
}

/* Sends a message with more descriptors than are allowed. */
static void send_many(int socket, const struct packet *packet) {
    static union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(253 * sizeof(int))];
    } control;
    struct iovec part = {(void *)packet->bytes, packet->message.length};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    control.header = (struct cmsghdr){CMSG_LEN(253 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    for (size_t i = 0; i < 253; i++)
        memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &socket, sizeof socket);
    if (sendmsg(socket, &header, MSG_NOSIGNAL) < 0)
        _exit(3);
}

/* --- Lies about bytes. */

static void set_length(struct packet *packet, size_t length) {
    struct header *header = (struct header *)packet->bytes;
    packet->message.length = length;
    header->length = length - sizeof *header;
}

/* Sends a reply with its lie. */
static void send_reply(struct packet *packet) {
    struct header *header = (struct header *)packet->bytes;
    struct ciso_message *message = &packet->message;
    const size_t length = message->length;
    const bool reaches = lie_number < length;
    const double huge = 1e300;
    replace_arena(message);
    if (strcmp(lie, "flip") == 0 && reaches) {
        packet->bytes[lie_number] ^= 0xFF;
    } else if (strcmp(lie, "bit") == 0 && reaches) {
        packet->bytes[lie_number] ^= 1;
    } else if (strcmp(lie, "maximum") == 0 && lie_number + 8 <= length) {
        memset(packet->bytes + lie_number, 0xFF, 7);
        packet->bytes[lie_number + 7] = 0x7F;
    } else if (strcmp(lie, "huge") == 0 && lie_number >= sizeof huge && sizeof *header + lie_number <= length) {
        memcpy(packet->bytes + length - lie_number, &huge, sizeof huge);
    } else if (strcmp(lie, "status") == 0 && length > 28 && packet->bytes[sizeof *header] == 0) {
        memcpy(packet->bytes + sizeof *header + 1, &(int32_t){-(int32_t)lie_number}, sizeof(int32_t));
    } else if (strcmp(lie, "cut") == 0 && reaches && lie_number > 0) {
        message->length = lie_number;
    } else if (strcmp(lie, "shorter") == 0 && reaches && lie_number >= sizeof *header) {
        set_length(packet, lie_number);
    } else if (strcmp(lie, "longer") == 0) {
        memset(packet->bytes + length, 0, lie_number);
        set_length(packet, length + lie_number);
    } else if (strcmp(lie, "number") == 0) {
        header->number += lie_number;
    } else if (strcmp(lie, "kind") == 0) {
        header->kind = (uint32_t)lie_number;
    } else if (strcmp(lie, "twice") == 0) {
        send_packet(CISO_SOCKET, packet, message->length);
    } else if (strcmp(lie, "descriptor") == 0 && message->count > 0) {
        int other = false_descriptor(message->descriptors[0]);
        close(message->descriptors[0]);
        message->descriptors[0] = other;
    } else if (strcmp(lie, "none") == 0) {
        ciso_close_descriptors(message);
    } else if (strcmp(lie, "again") == 0 && message->count > 0 && message->count < CISO_MAX_DESCRIPTORS) {
        message->descriptors[message->count++] = dup(message->descriptors[0]);
    }
    if (strcmp(lie, "many") == 0)
        send_many(CISO_SOCKET, packet);
    else if (strcmp(lie, "silence") != 0)
        send_packet(CISO_SOCKET, packet, message->length);
}

/* --- Passing on. */

static bool pass(int from, int to, bool is_from_worker) {
    static struct packet packet;
    if (ciso_receive(from, packet.bytes, sizeof packet.bytes, &packet.message, 0) != 0)
        return false;
    const struct header *header = (const struct header *)packet.bytes;
    if (!is_from_worker && header->kind == KIND_CALL)
        read_call(&packet);
    if (is_from_worker && packet.message.length >= sizeof *header && header->kind == KIND_REPLY)
        send_reply(&packet);
    else
        send_packet(to, &packet, packet.message.length);
    ciso_close_descriptors(&packet.message);
    return true;
}

int main(int count, char **arguments) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 100);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (count < 1 || slash == NULL)
        return 2;
    if (strrchr(arguments[0], '-') > strrchr(arguments[0], '/'))
        arena_lie = strdup(strrchr(arguments[0], '-'));
    strcpy(slash, "/../install/libexec/sdimage/sdimage-decoder");
    char *environment[] = {NULL};
    arguments[0] = path;
    if (ciso_start(path, arguments, environment, &worker) != 0)
        return 3;
    struct pollfd entries[] = {{.fd = CISO_SOCKET, .events = POLLIN}, {.fd = worker.socket, .events = POLLIN}};
    bool runs = true;
    while (runs && poll(entries, 2, -1) > 0) {
        if (entries[0].revents != 0)
            runs = pass(CISO_SOCKET, worker.socket, false);
        if (runs && entries[1].revents != 0)
            runs = pass(worker.socket, CISO_SOCKET, true);
    }
    ciso_forget(&worker, NULL);
    return 0;
}
