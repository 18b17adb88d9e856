/* engine.h: what a kind of server has to offer to the tier (tier.h): commands sent together, answered together. */
#ifndef SDREMOTE_ENGINE_H
#define SDREMOTE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sdimage/error.h>

typedef enum sdremote_verb {
    SDREMOTE_GET,
    SDREMOTE_SET,
    SDREMOTE_ADD,
    SDREMOTE_DELETE,
    SDREMOTE_SWAP,
    SDREMOTE_CAS
} sdremote_verb;

/* A command, and what came of it. Texts are borrowed until the exchange is over. */
typedef struct sdremote_command {
    sdremote_verb verb;
    const char *key;
    size_t key_length;
    /* The key by which the server is chosen, where that is not `key`; both then lie on one server. */
    const char *place;
    size_t place_length;
    const void *value;
    size_t value_length;
    uint64_t ttl_ms;
    /* SWAP stores the value where the server still has exactly these bytes; in one step as other clients see it. */
    const void *expected;
    size_t expected_length;

    /* The server has answered. */
    bool is_answered;
    /* Found, stored, added, deleted, or swapped. */
    bool is_true;
    /* What GET has found, until `release(owner)`, which is the caller's to call. */
    const void *bytes;
    size_t length;
    void *owner;
    void (*release)(void *owner);
    /* For the engine alone, like the verb CAS: identifies the value that was found. */
    uint64_t token;
} sdremote_command;

/* What one connection needs to know. */
typedef struct sdremote_settings {
    /* After how many failures a server is left out, and for how long. */
    uint32_t failures, pause_ms;
    /* No answer is longer. */
    size_t max_value;
} sdremote_settings;

/* A kind of server. A connection is used by one thread at a time. */
typedef struct sdremote_engine {
    const char *name;
    /* What an address says, to be shared by all connections; NULL, and the reason, where it is none. */
    void *(*parse)(const char *address, sdimage_error **error);
    void (*forget)(void *place);
    /* How many servers there are. */
    size_t (*count)(const void *place);
    /* Does not wait for a server; NULL when memory is refused. */
    void *(*open)(void *place, const sdremote_settings *settings);
    void (*close)(void *connection);
    /* Sends all commands and reads the answers until `deadline`, nanoseconds of the monotonic clock; those of one place
     * in their order, but all GET last. What a server did not answer is left unanswered, and the next exchange connects
     * anew. */
    void (*exchange)(void *connection, sdremote_command *commands, size_t count, uint64_t deadline);
} sdremote_engine;

/* Nanoseconds of the monotonic clock. */
uint64_t sdremote_now(void);

/* Stores an error and returns its status. */
sdimage_status sdremote_fail(sdimage_error **error, sdimage_status status, const char *message);

#endif
