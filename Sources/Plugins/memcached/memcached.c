/* memcached.c: the cache on memcached servers, as an engine of the tier (remote/tier.h).
 *
 * libmemcached only distributes keys among the servers. The protocol is implemented in peer.c, because libmemcached
 * trusts responses: a key that is too long, or a response to another request, ends the process.
 *
 * 1. parse reads the list of servers, which all connections of a cache share.
 * 2. A connection belongs to one worker thread. It has a peer for each server and a hash ring of the servers in use.
 * 3. exchange gives each command to the peer of its key, and waits for all peers with one poll.
 * 4. A server that fails repeatedly is excluded for all connections; each of them rebuilds its ring without it. */
#include <sdimage/plugins/memcached.h>

#include <errno.h>
#include <libmemcached/memcached.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

/* Limit of the list of servers. */
#define SERVERS_MAX 256u

/* A server. The host points into the text of the list; a path begins with a slash. */
typedef struct server {
    const char *host;
    in_port_t port; /* host byte order; unused for a path */
    /* State shared by all connections: consecutive failures, and the end of the server's exclusion. */
    _Atomic uint64_t failures, excluded_until;
} server;

/* The list of servers. `text` is a copy of the address with a NUL after each host. Immutable but for the states of
 * servers. */
typedef struct servers {
    char *text;
    size_t count;
    server each[SERVERS_MAX];
} servers;

/* The connections of one worker thread to all servers. Its functions run on that thread, without the lock of the
 * tier. */
typedef struct connection {
    servers *servers;
    sdremote_settings settings;
    peer *peers; /* one for each server of the list */
    /* A hash ring of the servers that are not excluded; NULL if it must be rebuilt. `members`: their indices in the
     * list. */
    memcached_st *ring;
    size_t *members, member_count;
} connection;

/* --- Lists of servers. */

/* Parses host[:port], [address][:port] or /path in place; false if it is invalid. */
static bool read_server(char *text, server *server) {
    char *bracket = *text == '[' ? strchr(text, ']') : NULL;
    char *colon = *text == '/' ? NULL : bracket ? bracket + 1 : strchr(text, ':');
    server->host = bracket ? text + 1 : text;
    server->port = 11211;
    if (bracket)
        *bracket = 0;
    /* A second colon: an IPv6 address without brackets, whose port would be ambiguous. */
    else if (*text == '[' || (colon && strchr(colon + 1, ':')))
        return false;
    if (colon && *colon) {
        char *end = NULL;
        errno = 0;
        long port = *colon == ':' && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : 0;
        if (errno || port < 1 || port > 65535 || *end)
            return false;
        *colon = 0;
        server->port = (in_port_t)port;
    }
    return *server->host;
}

/* Entry of sdremote_engine: frees the list. */
static void release_servers(void *opaque) {
    servers *self = opaque;
    free(self->text);
    free(self);
}

/* Entry of sdremote_engine: parses servers separated by commas. */
static void *parse(const char *text, sdimage_error **error) {
    servers *self = calloc(1, sizeof *self);
    char *copy = strdup(text);
    if (!self || !copy) {
        free(self);
        free(copy);
        sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "memcached: no memory for a list of servers");
        return NULL;
    }
    self->text = copy;
    bool is_ok = true;
    /* Cuts the text at the commas; the hosts point into it. */
    for (char *next = copy; is_ok && next;) {
        char *name = next, *comma = strchr(name, ',');
        next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = 0;
        is_ok = self->count < SERVERS_MAX && read_server(name, &self->each[self->count]);
        self->count++;
    }
    if (is_ok)
        return self;
    release_servers(self);
    sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "memcached: invalid list of servers");
    return NULL;
}

/* Entry of sdremote_engine. */
static size_t count(const void *opaque) {
    return ((const servers *)opaque)->count;
}

/* --- Connections. */

/* Entry of sdremote_engine. Also closes a connection that open_connection could not complete. */
static void close_connection(void *opaque) {
    connection *self = opaque;
    for (size_t i = 0; self->peers && i < self->servers->count; i++)
        sdpeer_close(&self->peers[i]);
    if (self->ring)
        memcached_free(self->ring);
    free(self->peers);
    free(self->members);
    free(self);
}

/* Entry of sdremote_engine: allocates the peers, which connect at their first commands. */
static void *open_connection(void *opaque, const sdremote_settings *settings) {
    servers *servers = opaque;
    connection *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    *self = (connection){.servers = servers, .settings = *settings};
    self->peers = calloc(servers->count, sizeof *self->peers);
    self->members = calloc(servers->count, sizeof *self->members);
    /* Also before an error: a peer of zeros would close the descriptor 0. */
    for (size_t i = 0; self->peers && i < servers->count; i++)
        sdpeer_init(&self->peers[i], servers->each[i].host, servers->each[i].port, settings->max_value);
    if (!self->peers || !self->members) {
        close_connection(self);
        return NULL;
    }
    return self;
}

/* --- Distribution of keys. */

/* Reports that a server is excluded after failures. A single server is left to the circuit breaker. */
static bool is_excluded(const connection *self, size_t index, uint64_t now) {
    return self->servers->count > 1 && self->servers->each[index].excluded_until > now;
}

/* Reports that the ring has exactly the servers that are not excluded. `members` ascends. */
static bool is_current(const connection *self, uint64_t now) {
    size_t next = 0;
    for (size_t i = 0; i < self->servers->count; i++) {
        bool is_member = next < self->member_count && self->members[next] == i;
        if (is_member == is_excluded(self, i, now))
            return false;
        next += is_member;
    }
    return self->ring;
}

/* Builds the ring with consistent hashing: only the keys of servers that left or returned move. */
static bool make_ring(connection *self, uint64_t now) {
    /* Exclusions change rarely, and a ring is expensive to build. */
    if (is_current(self, now))
        return true;
    if (self->ring)
        memcached_free(self->ring);
    self->member_count = 0;
    self->ring = memcached_create(NULL);
    bool is_made = self->ring && memcached_behavior_set(self->ring, MEMCACHED_BEHAVIOR_DISTRIBUTION,
                                                        MEMCACHED_DISTRIBUTION_CONSISTENT_KETAMA) == MEMCACHED_SUCCESS;
    /* In the order of the list: all processes must build the same ring. */
    for (size_t i = 0; is_made && i < self->servers->count; i++) {
        const server *server = &self->servers->each[i];
        if (is_excluded(self, i, now))
            continue;
        is_made =
            (*server->host == '/' ? memcached_server_add_unix_socket(self->ring, server->host)
                                  : memcached_server_add(self->ring, server->host, server->port)) == MEMCACHED_SUCCESS;
        self->members[self->member_count++] = i;
    }
    if (is_made)
        return true;
    if (self->ring)
        memcached_free(self->ring);
    self->ring = NULL;
    return false;
}

/* Returns the server of a command; NULL if none is left. */
static peer *peer_of(connection *self, const sdremote_command *command) {
    /* A lease is on the server of its entry, which orders them. */
    const char *name = command->server_key ? command->server_key : command->key;
    size_t length = command->server_key ? command->server_key_length : command->key_length;
    uint32_t member = self->member_count ? memcached_generate_hash(self->ring, name, length) : 0;
    return member < self->member_count ? &self->peers[self->members[member]] : NULL;
}

/* --- Exchanges. */

/* Runs the exchanges of all peers until none is busy or the deadline has passed. */
static void wait_for_all(connection *self, struct pollfd *sockets, uint64_t deadline) {
    for (;;) {
        size_t open = 0;
        for (size_t i = 0; i < self->servers->count; i++) {
            /* poll ignores negative descriptors. */
            sockets[i] = (struct pollfd){.fd = sdpeer_is_busy(&self->peers[i]) ? self->peers[i].socket : -1,
                                         .events = sdpeer_events(&self->peers[i])};
            open += sockets[i].fd >= 0;
        }
        uint64_t now = sdcs_monotonic_ns();
        if (!open || now >= deadline)
            return;
        struct timespec limit = {(time_t)((deadline - now) / 1000000000), (long)((deadline - now) % 1000000000)};
        if (ppoll(sockets, self->servers->count, &limit, NULL) < 0 && errno != EINTR)
            return;
        for (size_t i = 0; i < self->servers->count; i++) {
            if (sockets[i].fd >= 0 && sockets[i].revents)
                sdpeer_continue(&self->peers[i]);
        }
    }
}

/* Counts a failure of a server, or resets the count. Workers do this concurrently; the counters are atomic. */
static void record_outcome(connection *self, server *server, bool is_ok) {
    if (is_ok) {
        server->failures = 0;
    } else if (++server->failures >= self->settings.failures) {
        /* After its return, a single further failure excludes the server again. */
        server->failures = self->settings.failures - 1;
        server->excluded_until = sdcs_monotonic_ns() + self->settings.pause_ms * 1000000ull;
    }
}

/* Runs commands as one batch, each on its server. In the second half only commands that have become CAS are due. */
static void run(connection *self, struct pollfd *sockets, sdremote_command *commands, size_t count, bool is_second_half,
                uint64_t deadline) {
    /* Changes in their order first, then all look-ups as one command. */
    for (int is_look_up = 0; is_look_up < 2; is_look_up++) {
        for (size_t i = 0; i < count; i++) {
            bool is_due = !is_second_half || commands[i].verb == SDREMOTE_CAS;
            peer *peer = sdpeer_is_look_up(&commands[i]) == is_look_up ? peer_of(self, &commands[i]) : NULL;
            if (peer && is_due)
                sdpeer_add(peer, &commands[i]);
        }
    }
    for (size_t i = 0; i < self->servers->count; i++)
        sdpeer_begin(&self->peers[i]);
    wait_for_all(self, sockets, deadline);
    for (size_t i = 0; i < self->servers->count; i++) {
        /* A server without commands neither failed nor succeeded. */
        if (self->peers[i].count)
            record_outcome(self, &self->servers->each[i], sdpeer_end(&self->peers[i]));
    }
}

/* Prepares the second half of each SWAP after its look-up: a CAS, or nothing if the server has other bytes. */
static bool prepare_swaps(sdremote_command *commands, size_t count) {
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        sdremote_command *command = &commands[i];
        if (command->verb != SDREMOTE_SWAP)
            continue;
        /* The value was read by the first half, with the token that CAS requires. */
        bool is_same = command->is_true && command->length == command->expected_length &&
                       !memcmp(command->bytes, command->expected, command->length);
        /* The value was needed for the comparison only. */
        if (command->owner)
            command->release(command->owner);
        command->owner = NULL;
        command->bytes = NULL;
        command->is_true = false;
        if (is_same && command->has_response) {
            command->verb = SDREMOTE_CAS;
            command->has_response = false;
            has_any = true;
        }
    }
    return has_any;
}

/* Entry of sdremote_engine. A SWAP takes two round trips, GETS and CAS, because memcached has no scripts. */
static void exchange(void *opaque, sdremote_command *commands, size_t count, uint64_t deadline) {
    connection *self = opaque;
    struct pollfd *sockets = calloc(self->servers->count, sizeof *sockets);
    if (sockets && make_ring(self, sdcs_monotonic_ns())) {
        run(self, sockets, commands, count, false, deadline);
        if (prepare_swaps(commands, count))
            run(self, sockets, commands, count, true, deadline);
    }
    free(sockets);
}

static const sdremote_engine engine = {"memcached",      parse,   release_servers, count, open_connection,
                                       close_connection, exchange};

SDIMAGE_API sdimage_status sdimage_memcached_cache_new(const char *servers, const sdimage_options *options,
                                                       sdimage_cache **cache, sdimage_error **error) {
    return sdremote_cache_new(&engine, servers, options, cache, error);
}

SDIMAGE_API uint64_t sdimage_memcached_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic) {
    return sdremote_cache_statistic(cache, statistic);
}
