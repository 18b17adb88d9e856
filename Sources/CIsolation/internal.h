/* Shared by the sources of this folder. */
#ifndef CISOLATION_INTERNAL_H
#define CISOLATION_INTERNAL_H

#include "cisolation.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* The time of CLOCK_MONOTONIC in nanoseconds. */
uint64_t ciso_now(void);

/* Waits for an event of a descriptor (poll(2)), an error or a hangup: 0, ETIMEDOUT or errno. */
int ciso_poll(int descriptor, short events, uint64_t deadline);

/* Closes the descriptors from `first` to `last`, at most 2^32 - 1. Calls no function but system calls. */
int ciso_close_range(unsigned first, unsigned last);

/* Control data of a message. */
struct ciso_control {
    _Alignas(struct cmsghdr) char bytes[CMSG_SPACE(sizeof(int) * CISO_MAX_DESCRIPTORS)];
};

/* Arguments of sendmsg(2). */
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

/* Adds a Landlock layer for the calling thread and threads that it starts: without `reads`, opening any file is
   refused as well. ENOSYS or EOPNOTSUPP: the kernel has no Landlock. */
int ciso_restrict_files(int allows_reads);

/* Installs the filter of system calls for all threads. Calls that it traps send SIGSYS. */
int ciso_filter_calls(void);

/* Tells if a file is kept. */
bool ciso_keeps_file(const char *path);

/* Closes all descriptors but 0 to CISO_SOCKET and those of kept files. */
int ciso_close_others(void);

/* Installs the handler of SIGSYS, which opens kept files. */
int ciso_handle_trapped_calls(void);

#endif
