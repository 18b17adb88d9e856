/* message.c: messages with descriptors, and waiting. Host and worker use it on both ends of one socket, whose messages
   keep their boundaries (SOCK_SEQPACKET). The host receives from an untrusted process.

   Sockets are not set to non-blocking: MSG_DONTWAIT makes single calls so, and ciso_poll waits for the deadline. */
#define _GNU_SOURCE
#include "ciso_message.h"
#include "message.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Returns the time of CLOCK_MONOTONIC in nanoseconds. */
static uint64_t time_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int ciso_poll(int descriptor, short events, uint64_t deadline) {
    for (;;) {
        /* Computed again after each interruption: ppoll(2) takes a duration, and callers pass a time. */
        struct timespec left = {0};
        uint64_t now = deadline == 0 || deadline == UINT64_MAX ? 0 : time_now();
        if (deadline > now) {
            left.tv_sec = (time_t)((deadline - now) / 1000000000);
            left.tv_nsec = (long)((deadline - now) % 1000000000);
        }
        struct pollfd entry = {.fd = descriptor, .events = events};
        int count = ppoll(&entry, 1, deadline == UINT64_MAX ? NULL : &left, NULL);
        if (count > 0)
            return 0;
        if (count < 0 && errno != EINTR)
            return errno;
        if (count == 0)
            return ETIMEDOUT;
    }
}

int ciso_close_range(unsigned first, unsigned last) {
#ifdef SYS_close_range
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return 0;
    /* The filter of a container reports calls that it does not know as one of these. */
    if (errno != ENOSYS && errno != EPERM)
        return errno;
#endif
    /* Linux before 5.9, or a filter that does not know the call. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return errno;
    rlim_t end = limit.rlim_cur < 1 << 20 ? limit.rlim_cur : 1 << 20;
    for (rlim_t number = first; number < end && number <= last; number++)
        close((int)number);
    return 0;
}

void ciso_fill_message(struct ciso_datagram *datagram, const void *bytes, size_t length, const int *descriptors,
                       size_t count) {
    *datagram = (struct ciso_datagram){.part = {.iov_base = (void *)bytes, .iov_len = length},
                                       .header = {.msg_iov = &datagram->part, .msg_iovlen = 1}};
    if (count == 0)
        return;
    datagram->header.msg_control = datagram->control.bytes;
    /* The length with padding; that of the control message itself is without. */
    datagram->header.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *control = CMSG_FIRSTHDR(&datagram->header);
    control->cmsg_len = CMSG_LEN(sizeof(int) * count);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(control), descriptors, sizeof(int) * count);
}

int ciso_send(int socket, const void *bytes, size_t length, const int *descriptors, size_t count, uint64_t deadline) {
    if (length == 0 || length > CISO_MAX_MESSAGE || count > CISO_MAX_DESCRIPTORS)
        return EINVAL;
    struct ciso_datagram datagram;
    ciso_fill_message(&datagram, bytes, length, descriptors, count);
    for (;;) {
        /* MSG_NOSIGNAL: the end of the other process is an error, not the signal SIGPIPE. */
        if (sendmsg(socket, &datagram.header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
            return 0;
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return errno == ECONNRESET ? EPIPE : errno;
        int error = ciso_poll(socket, POLLOUT, deadline);
        if (error != 0)
            return error;
    }
}

void ciso_close_descriptors(struct ciso_message *message) {
    for (size_t i = 0; i < message->count; i++)
        close(message->descriptors[i]);
    message->count = 0;
}

/* Takes the descriptors out of the control data. False if they do not fit: `message` has those that do. */
static bool take_descriptors(struct msghdr *header, struct ciso_message *message) {
    bool fits = true;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part != NULL; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS || part->cmsg_len < CMSG_LEN(0)) {
            fits = false;
            continue;
        }
        /* The kernel has installed the descriptors already: those that do not fit are closed. */
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
            if (message->count < CISO_MAX_DESCRIPTORS) {
                message->descriptors[message->count++] = descriptor;
            } else {
                close(descriptor);
                fits = false;
            }
        }
    }
    return fits;
}

/* Receives a message with recvmsg(2) and its flags: 0, EPIPE, EBADMSG, EMFILE, or errno. */
static int receive(int socket, void *bytes, size_t capacity, struct ciso_message *message, int flags) {
    struct ciso_control control;
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t length = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | flags);
    if (length < 0)
        return errno == ECONNRESET ? EPIPE : errno;
    message->length = (size_t)length;
    message->count = 0;
    bool fits = take_descriptors(&header, message);
    if (fits && length > 0 && (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
        return 0;
    /* A message that is refused leaves no descriptors open. */
    size_t count = message->count;
    ciso_close_descriptors(message);
    /* The kernel returns 0 for the end of the other process, and for an empty message. */
    if (length == 0 && count == 0)
        return EPIPE;
    /* The control data has room for more: this process could not open them. */
    bool is_full = fits && length > 0 && (header.msg_flags & MSG_TRUNC) == 0 && count < CISO_MAX_DESCRIPTORS;
    return is_full ? EMFILE : EBADMSG;
}

int ciso_receive_blocking(int socket, void *bytes, size_t capacity, struct ciso_message *message) {
    return receive(socket, bytes, capacity, message, 0);
}

int ciso_receive(int socket, void *bytes, size_t capacity, struct ciso_message *message, uint64_t deadline) {
    for (;;) {
        int error = receive(socket, bytes, capacity, message, MSG_DONTWAIT);
        if (error == EAGAIN)
            error = ciso_poll(socket, POLLIN, deadline);
        else if (error != EINTR)
            return error;
        if (error != 0 && error != EINTR)
            return error;
    }
}
