/* peer.h: one memcached server: commands go out in one piece, answers are read as they come, and believed in nothing.
 *
 * The text protocol, as in memcached's doc/protocol.txt. */
#ifndef SDMEMCACHED_PEER_H
#define SDMEMCACHED_PEER_H

#include <netdb.h>

#include "../remote/tier.h"

/* Commands of an exchange. */
#define SDPEER_COMMANDS 64u
/* What is read at once; no line is longer. */
#define SDPEER_INPUT 16384u

typedef struct peer {
    const char *host;
    in_port_t port;
    size_t max_value;
    /* -1 when not connected. */
    int socket;
    bool is_connected;
    /* Addresses that are not tried yet. */
    struct addrinfo *addresses, *next_address;

    /* The exchange: its commands, changes first; how many are answered. */
    sdremote_command *commands[SDPEER_COMMANDS];
    size_t count, changes, answered;
    bool is_failed, has_heard, is_reused;
    /* Look-ups ask for tokens. */
    bool has_tokens;
    char *output;
    size_t output_length, output_capacity, sent;
    /* A value that is being read, and whose. */
    sdremote_command *reading;
    char *value;
    size_t value_length, value_filled;
    size_t input_length;
    char input[SDPEER_INPUT];
} peer;

void sdpeer_init(peer *self, const char *host, in_port_t port, size_t max_value);
void sdpeer_close(peer *self);

/* GET, or SWAP, of which it is the first half. */
static inline bool sdpeer_is_look_up(const sdremote_command *command) {
    return command->verb == SDREMOTE_GET || command->verb == SDREMOTE_SWAP;
}

/* Adds a command to the next exchange; all look-ups after all changes. */
void sdpeer_add(peer *self, sdremote_command *command);

/* Connects where necessary, and sends. Nothing where there are no commands. */
void sdpeer_begin(peer *self);

/* Whether it has something to wait for, and what. */
bool sdpeer_is_busy(const peer *self);
short sdpeer_events(const peer *self);
/* Goes on when the socket is ready. */
void sdpeer_continue(peer *self);

/* Ends the exchange; whether all was answered. Otherwise the connection is gone. */
bool sdpeer_end(peer *self);

#endif
