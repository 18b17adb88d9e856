/* message.h: waiting, descriptors and messages; internal to this folder. */
#ifndef CISO_INTERNAL_MESSAGE_H
#define CISO_INTERNAL_MESSAGE_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "ciso_message.h"

/* Waits for an event of a descriptor (poll(2)), an error or a hangup: 0, ETIMEDOUT or errno. */
int ciso_poll(int descriptor, short events, uint64_t deadline);

/* Closes the descriptors from `first` to `last`, at most 2^32 - 1. Calls no function but system calls. */
int ciso_close_range(unsigned first, unsigned last);

/* Control data of a message. */
struct ciso_control {
    _Alignas(struct cmsghdr) char bytes[CMSG_SPACE(sizeof(int) * CISO_MAX_DESCRIPTORS)];
};

/* Arguments of sendmsg(2). Must not be moved once they are made. */
struct ciso_datagram {
    struct msghdr header;
    struct iovec part;
    struct ciso_control control;
};

/* Makes the arguments, which point into themselves. */
void ciso_fill_message(struct ciso_datagram *datagram, const void *bytes, size_t length, const int *descriptors,
                       size_t count);

/* Receives a message without a deadline. Sets errno only when it returns. */
int ciso_receive_blocking(int socket, void *bytes, size_t capacity, struct ciso_message *message);

#endif
