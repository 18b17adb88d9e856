/* redis.c: the cache on Redis, by hiredis, as an engine of the tier (remote/tier.h).
 *
 * The commands of an exchange are sent as one batch; replies arrive in their order. The context of hiredis is
 * non-blocking, and each wait ends at the deadline of the exchange. A connection belongs to one worker thread of the
 * tier, which runs its functions without the lock of the tier. */
#include <sdimage/plugins/redis.h>

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "percent.h"
#include "tier.h"

/* Bytes of a reply besides a value: status lines and lengths. */
static const size_t reply_overhead = 64 << 10;

/* The parsed address; immutable, and shared by all connections. */
typedef struct address {
    char *text; /* a copy of the address, cut into its parts */
    /* All point into `text`; NULL if not given. */
    const char *host, *path, *user, *password, *database;
    int port;
} address;

/* A connection of one worker thread. */
typedef struct connection {
    const address *address;
    sdremote_settings settings;
    redisContext *context;               /* NULL if not connected */
    redisReplyObjectFunctions functions; /* functions of the context's reader */
} connection;

/* --- Addresses. */

/* Parses a port, 1 to 65535; false for anything else. */
static bool read_port(const char *text, int *port) {
    char *end = NULL;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || errno || *end || number < 1 || number > 65535)
        return false;
    *port = (int)number;
    return true;
}

/* Parses [[user]:password@]host[:port][/database] in place; false if it is invalid. */
static bool read_authority(address *self, char *text) {
    /* The last "@": passwords may contain one. */
    char *at = strrchr(text, '@'), *host = text;
    if (at) {
        *at = 0;
        host = at + 1;
        char *colon = strchr(text, ':');
        if (!colon)
            return false;
        *colon = 0;
        self->user = *text ? text : NULL;
        self->password = colon + 1;
        if (!sdcs_percent_decode_text(text) || !sdcs_percent_decode_text(colon + 1))
            return false;
    }
    char *slash = strchr(host, '/');
    if (slash) {
        *slash = 0;
        self->database = slash[1] ? slash + 1 : NULL;
        /* Redis numbers its databases. */
        if (self->database && strspn(self->database, "0123456789") != strlen(self->database))
            return false;
    }
    /* The brackets of an IPv6 address are not part of the host. */
    char *bracket = *host == '[' ? strchr(host, ']') : NULL, *colon = bracket ? bracket + 1 : strchr(host, ':');
    if (bracket) {
        *bracket = 0;
        host++;
    } else if (*host == '[' || (colon && strchr(colon + 1, ':'))) {
        return false;
    }
    if (colon && *colon) {
        if (*colon != ':' || !read_port(colon + 1, &self->port))
            return false;
        *colon = 0;
    }
    self->host = host;
    return *host;
}

/* Entry of sdremote_engine. */
static void release_address(void *opaque) {
    address *self = opaque;
    free(self->text);
    free(self);
}

/* Entry of sdremote_engine: parses a URL, host[:port] or a path. */
static void *parse(const char *text, sdimage_error **error) {
    address *self = calloc(1, sizeof *self);
    char *copy = strdup(text);
    if (!self || !copy) {
        free(self);
        free(copy);
        sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "redis: no memory for an address");
        return NULL;
    }
    self->text = copy;
    self->port = 6379;
    bool is_ok;
    if (*copy == '/') {
        self->path = copy;
        /* hiredis before 1.1 connects to a longer path without its end. */
        is_ok = strlen(copy) < sizeof((struct sockaddr_un){0}).sun_path;
    } else {
        /* The scheme is optional. */
        is_ok = read_authority(self, strncmp(copy, "redis://", 8) ? copy : copy + 8);
    }
    if (is_ok)
        return self;
    release_address(self);
    sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "redis: invalid server address");
    return NULL;
}

/* Entry of sdremote_engine: an address is that of one server. */
static size_t count(const void *address) {
    (void)address;
    return 1;
}

/* --- Connections. */

/* Entry of sdremote_engine; connect_to connects at the first exchange. */
static void *open_connection(void *address, const sdremote_settings *settings) {
    connection *self = calloc(1, sizeof *self);
    if (self)
        *self = (connection){.address = address, .settings = *settings};
    return self;
}

/* Closes the connection. Replies that were not read are lost with it. */
static void drop(connection *self) {
    if (self->context)
        redisFree(self->context);
    self->context = NULL;
}

/* Entry of sdremote_engine. */
static void close_connection(void *opaque) {
    connection *self = opaque;
    drop(self);
    free(self);
}

/* Waits until the socket is ready; false after the deadline, or for an error of the socket. */
static bool wait_for(connection *self, short events, uint64_t deadline) {
    struct pollfd socket = {.fd = self->context->fd, .events = events};
    for (;;) {
        uint64_t now = sdcs_monotonic_ns();
        if (now >= deadline)
            return false;
        uint64_t left = deadline - now;
        struct timespec limit = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
        int ready = ppoll(&socket, 1, &limit, NULL);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

/* Sends all appended commands; false if the connection broke or the deadline passed. */
static bool flush(connection *self, uint64_t deadline) {
    for (int is_done = 0;;) {
        if (redisBufferWrite(self->context, &is_done) != REDIS_OK)
            return false;
        if (is_done)
            return true;
        if (!wait_for(self, POLLOUT, deadline))
            return false;
    }
}

/* Returns the next reply; NULL if the connection broke, the deadline passed, or the reply exceeds the limit. */
static redisReply *next_reply(connection *self, size_t limit, uint64_t deadline) {
    for (;;) {
        void *reply = NULL;
        if (redisGetReplyFromReader(self->context, &reply) != REDIS_OK)
            return NULL;
        if (reply)
            return reply;
        /* A reply that is still incomplete with this many bytes will exceed the limit. */
        if (self->context->reader->len - self->context->reader->pos > limit || !wait_for(self, POLLIN, deadline) ||
            redisBufferRead(self->context) != REDIS_OK)
            return NULL;
    }
}

/* Runs a command of up to three texts; true if the reply is not an error. */
static bool run_command(connection *self, int count, const char **texts, uint64_t deadline) {
    size_t lengths[3];
    for (int i = 0; i < count; i++)
        lengths[i] = strlen(texts[i]);
    if (redisAppendCommandArgv(self->context, count, texts, lengths) != REDIS_OK || !flush(self, deadline))
        return false;
    redisReply *reply = next_reply(self, reply_overhead, deadline);
    bool is_ok = reply && reply->type != REDIS_REPLY_ERROR;
    if (reply)
        freeReplyObject(reply);
    return is_ok;
}

/* Sends AUTH and SELECT as the address requires. */
static bool authenticate(connection *self, uint64_t deadline) {
    const address *address = self->address;
    if (address->password && address->user &&
        !run_command(self, 3, (const char *[]){"AUTH", address->user, address->password}, deadline))
        return false;
    if (address->password && !address->user &&
        !run_command(self, 2, (const char *[]){"AUTH", address->password}, deadline))
        return false;
    return !address->database || run_command(self, 2, (const char *[]){"SELECT", address->database}, deadline);
}

/* hiredis 1.0 changed the type of the array length. */
#if HIREDIS_MAJOR >= 1
typedef size_t array_length;
#else
typedef int array_length;
#endif

/* No command has an array as reply. NULL closes the connection before memory for the array is allocated. */
static void *refuse_array(const redisReadTask *task, array_length length) {
    (void)task, (void)length;
    return NULL;
}

/* Replaces one function of the reader of this connection; the table of hiredis is shared. */
static void refuse_arrays(connection *self) {
    self->functions = *self->context->reader->fn;
    self->functions.createArray = refuse_array;
    self->context->reader->fn = &self->functions;
}

/* Connects unless connected; false if that fails before the deadline. Resolving a name blocks this thread; the timer
 * thread completes late look-ups meanwhile. */
static bool connect_to(connection *self, uint64_t deadline) {
    if (self->context)
        return true;
    const address *address = self->address;
    self->context =
        address->path ? redisConnectUnixNonBlock(address->path) : redisConnectNonBlock(address->host, address->port);
    if (self->context)
        refuse_arrays(self);
    if (self->context && self->context->fd >= 0)
        /* Child programs must not inherit the connection. */
        fcntl(self->context->fd, F_SETFD, FD_CLOEXEC);
    int failure = 0;
    socklen_t size = sizeof failure;
    /* A non-blocking connection is established when its socket becomes writable without an error. */
    if (self->context && !self->context->err && wait_for(self, POLLOUT, deadline) &&
        !getsockopt(self->context->fd, SOL_SOCKET, SO_ERROR, &failure, &size) && !failure &&
        authenticate(self, deadline))
        return true;
    drop(self);
    return false;
}

/* --- Exchanges. */

/* Runs atomically on the server. */
static const char swap_script[] = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                  "return redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end return false";

/* Appends a SWAP: a script that compares and stores in one step. */
static bool append_swap(connection *self, const sdremote_command *command, const char *ttl) {
    const char *texts[7] = {"EVAL", swap_script, "1", command->key, command->expected, command->value, ttl};
    size_t lengths[7] = {
        4,          sizeof swap_script - 1, 1, command->key_length, command->expected_length, command->value_length,
        strlen(ttl)};
    return redisAppendCommandArgv(self->context, 7, texts, lengths) == REDIS_OK;
}

/* Appends a command. Lifetimes are milliseconds (PX). */
static bool append(connection *self, const sdremote_command *command) {
    char ttl[32];
    snprintf(ttl, sizeof ttl, "%llu", (unsigned long long)command->ttl_ms);
    if (command->verb == SDREMOTE_SWAP)
        return append_swap(self, command, ttl);
    /* SET key value PX ttl NX; GET and DEL take the first two texts. */
    const char *texts[6] = {"GET", command->key, command->value, "PX", ttl, "NX"};
    size_t lengths[6] = {3, command->key_length, command->value_length, 2, strlen(ttl), 2};
    int count = 2;
    if (command->verb == SDREMOTE_DELETE)
        texts[0] = "DEL";
    if (command->verb == SDREMOTE_SET || command->verb == SDREMOTE_ADD) {
        texts[0] = "SET";
        count = command->verb == SDREMOTE_SET ? 5 : 6;
    }
    return redisAppendCommandArgv(self->context, count, texts, lengths) == REDIS_OK;
}

/* Frees a reply with the bytes that a command found. */
static void release(void *reply) {
    freeReplyObject(reply);
}

static bool begins_with(const redisReply *reply, const char *text) {
    return (size_t)reply->len >= strlen(text) && !memcmp(reply->str, text, strlen(text));
}

/* Stores a reply in its command. A reply of an unexpected type leaves the command unanswered, as from a server that is
 * loading or read-only. */
static void note(sdremote_command *command, redisReply *reply) {
    bool is_get = command->verb == SDREMOTE_GET;
    switch (reply->type) {
    /* GET found a value. */
    case REDIS_REPLY_STRING: command->has_response = command->is_true = is_get; break;
    /* SET and the script reply OK. */
    case REDIS_REPLY_STATUS: command->has_response = command->is_true = !is_get; break;
    /* GET found none, SET NX found one, or the script found other bytes. */
    case REDIS_REPLY_NIL: command->has_response = true; break;
    /* DEL replies with the number of removed keys. */
    case REDIS_REPLY_INTEGER:
        command->has_response = command->verb == SDREMOTE_DELETE;
        command->is_true = command->has_response && reply->integer > 0;
        break;
    /* The server is alive but refuses: out of memory, or scripts are unavailable. */
    case REDIS_REPLY_ERROR:
        command->has_response =
            begins_with(reply, "OOM") ||
            (command->verb == SDREMOTE_SWAP && (begins_with(reply, "ERR") || begins_with(reply, "NOPERM")));
        break;
    default: break;
    }
    if (!is_get || !command->is_true) {
        freeReplyObject(reply);
        return;
    }
    command->bytes = reply->str;
    command->length = (size_t)reply->len;
    command->owner = reply;
    command->release = release;
}

/* Reports that the connection is open and the server has sent nothing unasked, without waiting. Otherwise all later
 * replies would belong to earlier commands. */
static bool is_in_step(connection *self) {
    return redisBufferRead(self->context) == REDIS_OK && self->context->reader->len == self->context->reader->pos;
}

/* Runs commands as one batch; false if the connection broke or is out of step, or the deadline passed before all
 * replies arrived. */
static bool run(connection *self, sdremote_command *commands, size_t count, uint64_t deadline) {
    if (!is_in_step(self))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!append(self, &commands[i]))
            return false;
    }
    if (!flush(self, deadline))
        return false;
    for (size_t i = 0; i < count; i++) {
        redisReply *reply = next_reply(self, self->settings.max_value + reply_overhead, deadline);
        if (!reply)
            return false;
        note(&commands[i], reply);
    }
    return true;
}

/* Reports that the server has responded to a command: repeating all of them could repeat a change. */
static bool has_response(const sdremote_command *commands, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (commands[i].has_response)
            return true;
    }
    return false;
}

/* Entry of sdremote_engine. */
static void exchange(void *opaque, sdremote_command *commands, size_t count, uint64_t deadline) {
    connection *self = opaque;
    /* A connection that the server closed while idle is no failure: retries once on a new one. */
    for (int attempt = self->context ? 0 : 1; attempt < 2; attempt++) {
        if (!connect_to(self, deadline))
            return;
        if (run(self, commands, count, deadline))
            return;
        drop(self);
        if (has_response(commands, count))
            return;
    }
}

static const sdremote_engine engine = {"redis",          parse,   release_address, count, open_connection,
                                       close_connection, exchange};

SDIMAGE_API sdimage_status sdimage_redis_cache_new(const char *address, const sdimage_options *options,
                                                   sdimage_cache **cache, sdimage_error **error) {
    return sdremote_cache_new(&engine, address, options, cache, error);
}

SDIMAGE_API uint64_t sdimage_redis_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic) {
    return sdremote_cache_statistic(cache, statistic);
}
