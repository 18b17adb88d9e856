/* peer.h: a connection to one memcached server. Commands are sent as one batch. Responses are parsed as they arrive and
 * are not trusted.
 *
 * The text protocol is specified in memcached's doc/protocol.txt. */
#ifndef SDMEMCACHED_PEER_H
#define SDMEMCACHED_PEER_H

#include <netdb.h>

#include "tier.h"

/* Limit of the commands of an exchange. */
#define SDPEER_COMMANDS 64u
/* Bytes read at once; also the limit of a line. */
#define SDPEER_INPUT 16384u

/* A connection and its current exchange. The calls of an exchange are: sdpeer_add for each command, sdpeer_begin,
 * sdpeer_continue while it is busy, sdpeer_end. */
typedef struct peer {
    const char *host; /* borrowed; a path if it begins with a slash */
    in_port_t port;
    size_t max_value; /* limit of the bytes of a value */
    /* -1 if not connected. */
    int socket;
    bool is_connected;
    /* Addresses not tried yet. */
    struct addrinfo *addresses, *next_address;

    /* The exchange: its commands, with changes first, and the number of completed ones. */
    sdremote_command *commands[SDPEER_COMMANDS];
    size_t count, changes, completed;
    bool is_failed, has_received, is_reused; /* `is_reused`: an earlier exchange has connected it */
    /* Look-ups request tokens (GETS). */
    bool has_tokens;
    char *output; /* the commands; `sent` bytes were written */
    size_t output_length, output_capacity, sent;
    /* The value that is being read, and its command. */
    sdremote_command *reading;
    char *value; /* `value_filled` of `value_length` bytes, with the line end */
    size_t value_length, value_filled;
    size_t input_length;
    char input[SDPEER_INPUT]; /* received bytes that were not parsed yet */
} peer;

/* The host is borrowed until the peer is closed. */
void sdpeer_init(peer *self, const char *host, in_port_t port, size_t max_value);
void sdpeer_close(peer *self);

/* GET, or SWAP, whose first half is a look-up. */
static inline bool sdpeer_is_look_up(const sdremote_command *command) {
    return command->verb == SDREMOTE_GET || command->verb == SDREMOTE_SWAP;
}

/* Adds a command to the next exchange. All look-ups must follow all changes. */
void sdpeer_add(peer *self, sdremote_command *command);

/* Connects if necessary, and sends. Does nothing without commands. */
void sdpeer_begin(peer *self);

/* Reports that the connection has events to wait for; the poll events. */
bool sdpeer_is_busy(const peer *self);
short sdpeer_events(const peer *self);
/* Continues when the socket is ready. */
void sdpeer_continue(peer *self);

/* Ends the exchange; reports that all commands completed. Otherwise the connection is closed. */
bool sdpeer_end(peer *self);

#endif
