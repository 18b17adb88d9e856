/* ciso_message.h: messages between host and worker, one datagram each, with descriptors (SCM_RIGHTS). See ciso_worker.h
   for results and times. */
#ifndef CISO_MESSAGE_H
#define CISO_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes and descriptors of a message. */
#define CISO_MAX_MESSAGE 65536
#define CISO_MAX_DESCRIPTORS 16

/* Sends a message. The descriptors remain those of the caller. EPIPE: the other process ended. ETIMEDOUT: the other
   process does not read. */
int ciso_send(int socket, const void *bytes, size_t length, const int *descriptors, size_t count, uint64_t deadline);

/* A received message. The receiver owns the descriptors, which are closed on exec and of any kind. */
struct ciso_message {
    size_t length; /* in bytes, at least 1 */
    size_t count;  /* number of descriptors */
    int descriptors[CISO_MAX_DESCRIPTORS];
};

/* Receives a message of at most `capacity` bytes. EPIPE: the other process ended, closed its socket, or sent an empty
   message. EBADMSG: a message that is too long or has too many descriptors, which are closed. EMFILE: this process
   cannot open its descriptors, and the message is lost. ETIMEDOUT: none has come. */
int ciso_receive(int socket, void *bytes, size_t capacity, struct ciso_message *message, uint64_t deadline);

/* Closes the descriptors and sets their count to 0. */
void ciso_close_descriptors(struct ciso_message *message);

#endif
