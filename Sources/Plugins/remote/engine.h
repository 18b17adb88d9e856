/* engine.h: the interface of a kind of server for the tier (tier.h): exchanges of batched commands. */
#ifndef SDREMOTE_ENGINE_H
#define SDREMOTE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "fail.h"

/* Commands. Keys are names on the server (names.h), values are envelopes (envelope.h) or the mark of a lease. */
typedef enum sdremote_verb {
    SDREMOTE_GET,    /* looks up a value */
    SDREMOTE_SET,    /* stores a value in any case */
    SDREMOTE_ADD,    /* stores a value if there is none: takes a lease */
    SDREMOTE_DELETE, /* removes a value */
    SDREMOTE_SWAP,   /* replaces a value that equals `expected` */
    SDREMOTE_CAS     /* memcached only: the second half of SWAP */
} sdremote_verb;

/* A command and its result. Texts are borrowed until the exchange ends. */
typedef struct sdremote_command {
    sdremote_verb verb;
    const char *key;
    size_t key_length;
    /* The key that selects the server, if it is not `key`; entries with equal server keys are on the same server. */
    const char *server_key;
    size_t server_key_length;
    const void *value;
    size_t value_length;
    uint64_t ttl_ms; /* lifetime on the server, in milliseconds */
    /* SWAP stores the value if the server still has exactly these bytes; atomic for other clients. */
    const void *expected;
    size_t expected_length;

    /* The server has responded. */
    bool has_response;
    /* Found, stored, added, deleted, or swapped. */
    bool is_true;
    /* The bytes that GET found, valid until the caller calls `release(owner)`. */
    const void *bytes;
    size_t length;
    void *owner;
    void (*release)(void *owner);
    /* For the engine only, like the verb CAS: the version token of the value found. */
    uint64_t token;
} sdremote_command;

/* The settings of one connection. */
typedef struct sdremote_settings {
    /* Number of failures after which a server is excluded, and the duration. */
    uint32_t failures, pause_ms;
    /* The limit of a response's value. */
    size_t max_value;
} sdremote_settings;

/* A kind of server. Each connection is used by one thread at a time. */
typedef struct sdremote_engine {
    const char *name;
    /* Parses an address into an object that all connections share; NULL and an error if it is invalid. */
    void *(*parse)(const char *address, sdimage_error **error);
    void (*release)(void *servers);
    /* Returns the number of servers. */
    size_t (*count)(const void *servers);
    /* Does not wait for a server; NULL if memory is exhausted. */
    void *(*open)(void *servers, const sdremote_settings *settings);
    void (*close)(void *connection);
    /* Sends all commands and reads the responses until `deadline`, nanoseconds of the monotonic clock. Commands with
     * one `server_key` run in their order, except that all GET run last. Commands without a response keep
     * `has_response` false, and the next exchange reconnects. */
    void (*exchange)(void *connection, sdremote_command *commands, size_t count, uint64_t deadline);
} sdremote_engine;

#endif
