/* peer.c: a non-blocking connection to one memcached server (see peer.h). All functions run on the thread of its
 * worker.
 *
 * An exchange writes all commands into one output buffer: changes first, then all look-ups as one get. The server
 * responds with a line for each change, in order, then with a VALUE line and data for each key found, then with END. */
#include "peer.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Limit of the capacity of the output buffer that is held for the next exchange. */
static const size_t max_retained = 1 << 20;

void sdpeer_init(peer *self, const char *host, in_port_t port, size_t max_value) {
    self->host = host;
    self->port = port;
    self->max_value = max_value;
    self->socket = -1;
}

/* Closes the socket and discards received bytes; the commands stay. */
static void disconnect(peer *self) {
    if (self->socket >= 0)
        close(self->socket);
    self->socket = -1;
    self->is_connected = false;
    self->input_length = 0;
}

/* Discards a value that was received in part. */
static void drop_value(peer *self) {
    free(self->value);
    self->value = NULL;
    self->reading = NULL;
}

void sdpeer_close(peer *self) {
    disconnect(self);
    drop_value(self);
    if (self->addresses)
        freeaddrinfo(self->addresses);
    free(self->output);
}

/* Ends the exchange without success. The state of the connection is unknown, so that it is closed. */
static void fail(peer *self) {
    self->is_failed = true;
    disconnect(self);
    drop_value(self);
}

/* --- Connecting. */

/* Starts a connection; false if it was refused at once. The socket becomes writable when it is established. */
static bool start_connecting(peer *self, int family, int type, const struct sockaddr *address, socklen_t length) {
    int on = 1;
    self->socket = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (self->socket < 0)
        return false;
    if (family != AF_UNIX)
        setsockopt(self->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!connect(self->socket, address, length) || errno == EINPROGRESS)
        return true;
    disconnect(self);
    return false;
}

/* Connects to the next address of the host; false if none is left. */
static bool try_next_address(peer *self) {
    while (self->next_address) {
        struct addrinfo *address = self->next_address;
        self->next_address = address->ai_next;
        if (start_connecting(self, address->ai_family, address->ai_socktype, address->ai_addr, address->ai_addrlen))
            return true;
    }
    return false;
}

/* Connects to a socket path, or to the first address of the host. Resolving a name blocks this thread; the timer thread
 * completes late look-ups meanwhile. */
static bool begin_connecting(peer *self) {
    if (*self->host == '/') {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        size_t length = strlen(self->host);
        if (length >= sizeof address.sun_path)
            return false;
        memcpy(address.sun_path, self->host, length + 1);
        return start_connecting(self, AF_UNIX, SOCK_STREAM, (const struct sockaddr *)&address, sizeof address);
    }
    char port[8];
    /* Resolved for each connection: addresses may change. */
    snprintf(port, sizeof port, "%u", self->port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    if (self->addresses)
        freeaddrinfo(self->addresses);
    self->addresses = NULL;
    if (getaddrinfo(self->host, port, &hints, &self->addresses))
        return false;
    self->next_address = self->addresses;
    return try_next_address(self);
}

/* --- Requests. */

/* Appends bytes to the output; false if memory is exhausted. */
static bool append(peer *self, const void *bytes, size_t length) {
    if (self->output_capacity - self->output_length < length) {
        /* Overflow shows as a capacity below the length. */
        size_t capacity = 2 * (self->output_length + length) + 512;
        char *output = capacity > length ? realloc(self->output, capacity) : NULL;
        if (!output)
            return false;
        self->output = output;
        self->output_capacity = capacity;
    }
    if (length)
        memcpy(self->output + self->output_length, bytes, length);
    self->output_length += length;
    return true;
}

/* Appends formatted text of less than 512 bytes: a command line without its data. */
static bool append_text(peer *self, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return length >= 0 && (size_t)length < sizeof text && append(self, text, (size_t)length);
}

/* Converts to seconds; memcached takes values above 30 days as dates. */
static uint64_t expiration(uint64_t ttl_ms) {
    uint64_t seconds = (ttl_ms + 999) / 1000;
    return seconds > 30 * 86400 ? (uint64_t)time(NULL) + seconds : seconds;
}

/* Appends a command in the text protocol. Look-ups are keys of one get, whose line sdpeer_begin ends. */
static bool append_command(peer *self, const sdremote_command *command, bool is_first_get) {
    int length = (int)command->key_length;
    switch (command->verb) {
    case SDREMOTE_GET:
    case SDREMOTE_SWAP:
        return append_text(self, "%s %.*s",
                           !is_first_get      ? ""
                           : self->has_tokens ? "gets"
                                              : "get",
                           length, command->key);
    /* cas KEY FLAGS EXPIRATION LENGTH TOKEN, then the data in a line of its own. */
    case SDREMOTE_CAS:
        return append_text(self, "cas %.*s 0 %" PRIu64 " %zu %" PRIu64 "\r\n", length, command->key,
                           expiration(command->ttl_ms), command->value_length, command->token) &&
               append(self, command->value, command->value_length) && append(self, "\r\n", 2);
    case SDREMOTE_DELETE: return append_text(self, "delete %.*s\r\n", length, command->key);
    default:
        return append_text(self, "%s %.*s 0 %" PRIu64 " %zu\r\n", command->verb == SDREMOTE_SET ? "set" : "add", length,
                           command->key, expiration(command->ttl_ms), command->value_length) &&
               append(self, command->value, command->value_length) && append(self, "\r\n", 2);
    }
}

void sdpeer_add(peer *self, sdremote_command *command) {
    if (self->count == SDPEER_COMMANDS)
        return;
    bool is_get = sdpeer_is_look_up(command);
    self->has_tokens = self->has_tokens || command->verb == SDREMOTE_SWAP;
    if (!append_command(self, command, is_get && self->count == self->changes))
        self->is_failed = true;
    /* Changes are added first, so that they occupy the first places of `commands`. */
    self->changes += !is_get;
    self->commands[self->count++] = command;
}

/* Sends pending output; false if the connection broke. */
static bool send_more(peer *self) {
    while (self->is_connected && self->sent < self->output_length) {
        ssize_t count = send(self->socket, self->output + self->sent, self->output_length - self->sent, MSG_NOSIGNAL);
        if (count > 0)
            self->sent += (size_t)count;
        else if (errno == EAGAIN)
            return true;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

/* Repeats the exchange on a new connection if the server closed an idle one: that is no failure. */
static void begin_again(peer *self) {
    bool may_try = self->is_reused && !self->has_received;
    self->is_reused = false;
    self->sent = 0;
    disconnect(self);
    if (!may_try || !begin_connecting(self))
        fail(self);
}

void sdpeer_begin(peer *self) {
    char byte;
    if (!self->count)
        return;
    /* Bytes that no command has asked for would be taken for the response to the first one. */
    if (self->socket >= 0 && recv(self->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
        disconnect(self);
    /* The end of the line of look-ups. */
    if (self->count > self->changes && !append(self, "\r\n", 2))
        self->is_failed = true;
    /* The server may have closed an idle connection, which shows only when it is used. */
    self->is_reused = self->socket >= 0;
    if (self->is_failed || (!self->is_reused && !begin_connecting(self)))
        fail(self);
    else if (!send_more(self))
        begin_again(self);
}

/* --- Responses. */

/* Reports that the server has responded to all commands. */
static bool is_over(const peer *self) {
    return self->completed == self->count;
}

bool sdpeer_is_busy(const peer *self) {
    return self->socket >= 0 && self->count && !self->is_failed && !is_over(self);
}

short sdpeer_events(const peer *self) {
    return !self->is_connected ? POLLOUT : self->sent < self->output_length ? POLLIN | POLLOUT : POLLIN;
}

/* Compares a line, without its end, with a text. */
static bool is_line(const char *line, size_t length, const char *text) {
    return length == strlen(text) && !memcmp(line, text, length);
}

/* Handles the response to a change. */
static bool note_change(peer *self, const char *line, size_t length) {
    sdremote_command *command = self->commands[self->completed++];
    bool is_delete = command->verb == SDREMOTE_DELETE;
    if (is_line(line, length, is_delete ? "DELETED" : "STORED"))
        return command->has_response = command->is_true = true;
    /* The server is alive but refuses: the value is too large, or memory is exhausted. */
    bool is_refusal = length >= 12 && !memcmp(line, "SERVER_ERROR", 12);
    if (command->verb == SDREMOTE_CAS && (is_line(line, length, "EXISTS") || is_line(line, length, "NOT_FOUND")))
        return command->has_response = true;
    return command->has_response = is_refusal || is_line(line, length, is_delete ? "NOT_FOUND" : "NOT_STORED");
}

/* Parses decimal digits and moves *text behind them; false if there are none, or the number exceeds `most`. */
static bool read_number(const char **text, const char *end, uint64_t most, uint64_t *number) {
    const char *start = *text;
    *number = 0;
    for (; *text < end && **text >= '0' && **text <= '9'; (*text)++) {
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(**text - '0'), number) || *number > most)
            return false;
    }
    return *text > start;
}

/* Parses VALUE key flags bytes, with a token after GETS. It belongs to the first look-up of its key without a value. */
static bool begin_value(peer *self, const char *line, size_t length) {
    const char *end = line + length, *key = line + 6, *text = memchr(key, ' ', length - 6);
    uint64_t flags = 0, bytes = 0, token = 0;
    if (!text)
        return false;
    size_t key_length = (size_t)(text++ - key);
    /* A value that exceeds the limit breaks the connection: it would have to be read to be skipped. */
    if (!read_number(&text, end, UINT32_MAX, &flags) || text == end || *text++ != ' ' ||
        !read_number(&text, end, self->max_value, &bytes))
        return false;
    bool has_token =
        !self->has_tokens || (text != end && *text++ == ' ' && read_number(&text, end, UINT64_MAX, &token));
    if (!has_token || text != end)
        return false;
    /* One get may have the same key twice. */
    for (size_t i = self->changes; i < self->count && !self->reading; i++) {
        sdremote_command *command = self->commands[i];
        if (!command->is_true && command->key_length == key_length && !memcmp(command->key, key, key_length))
            self->reading = command;
    }
    /* An unrequested key leaves `value` NULL, which ends the exchange. */
    if (self->reading)
        self->reading->token = token;
    /* With the line end that follows the data. */
    self->value_length = (size_t)bytes + 2;
    self->value_filled = 0;
    self->value = self->reading ? malloc(self->value_length) : NULL;
    return self->value;
}

/* Passes the received value to its command; false if no line end follows it. */
static bool end_value(peer *self) {
    if (memcmp(self->value + self->value_length - 2, "\r\n", 2))
        return false;
    sdremote_command *command = self->reading;
    command->is_true = true;
    command->bytes = command->owner = self->value;
    command->length = self->value_length - 2;
    command->release = free;
    self->value = NULL;
    self->reading = NULL;
    return true;
}

/* Handles a complete line of the server; false if it is malformed or unexpected. */
static bool note_line(peer *self, const char *line, size_t length) {
    if (self->completed < self->changes)
        return note_change(self, line, length);
    if (length > 6 && !memcmp(line, "VALUE ", 6))
        return begin_value(self, line, length);
    if (!is_line(line, length, "END"))
        return false;
    /* END responds to all look-ups at once; those without a value are misses. */
    for (; self->completed < self->count; self->completed++)
        self->commands[self->completed]->has_response = true;
    return true;
}

/* Returns the number of input bytes consumed; SIZE_MAX for a malformed response. */
static size_t use_input(peer *self) {
    size_t at = 0;
    while (!is_over(self)) {
        /* The bytes in the input that belong to the value; receive reads the rest directly into it. */
        if (self->value) {
            size_t left = self->value_length - self->value_filled, rest = self->input_length - at;
            size_t count = left < rest ? left : rest;
            memcpy(self->value + self->value_filled, self->input + at, count);
            self->value_filled += count;
            at += count;
            if (self->value_filled < self->value_length)
                return at;
            if (!end_value(self))
                return SIZE_MAX;
            continue;
        }
        char *end = memchr(self->input + at, '\n', self->input_length - at);
        /* A line longer than the input buffer is malformed. */
        if (!end)
            return self->input_length - at < SDPEER_INPUT ? at : SIZE_MAX;
        size_t length = (size_t)(end - (self->input + at));
        if (!length || end[-1] != '\r' || !note_line(self, self->input + at, length - 1))
            return SIZE_MAX;
        at += length + 1;
    }
    /* Surplus bytes are an error. */
    return at == self->input_length ? at : SIZE_MAX;
}

/* Receives the rest of a value directly into its buffer, and further bytes into the input. */
static ssize_t receive(peer *self) {
    struct iovec parts[2] = {{self->input + self->input_length, SDPEER_INPUT - self->input_length}, {NULL, 0}};
    if (!self->value)
        return readv(self->socket, parts, 1);
    parts[1] = parts[0];
    parts[0] = (struct iovec){self->value + self->value_filled, self->value_length - self->value_filled};
    return readv(self->socket, parts, 2);
}

/* Accounts for `count` received bytes, first to the value, and parses the rest; false for a malformed response. */
static bool take_input(peer *self, size_t count) {
    if (self->value) {
        size_t left = self->value_length - self->value_filled, direct = count < left ? count : left;
        self->value_filled += direct;
        count -= direct;
    }
    self->input_length += count;
    size_t used = use_input(self);
    if (used == SIZE_MAX)
        return false;
    memmove(self->input, self->input + used, self->input_length - used);
    self->input_length -= used;
    return true;
}

/* Reports that the connection is established; tries the next address if it was refused. */
static bool finish_connecting(peer *self) {
    int failure = 0;
    socklen_t size = sizeof failure;
    if (!getsockopt(self->socket, SOL_SOCKET, SO_ERROR, &failure, &size) && !failure)
        return self->is_connected = true;
    disconnect(self);
    if (!try_next_address(self))
        fail(self);
    return false;
}

void sdpeer_continue(peer *self) {
    if (!self->is_connected && !finish_connecting(self))
        return;
    if (!send_more(self)) {
        begin_again(self);
        return;
    }
    while (sdpeer_is_busy(self)) {
        /* Reads until the socket is empty, which saves calls of poll. */
        ssize_t count = receive(self);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return;
        self->has_received = self->has_received || count > 0;
        if (count <= 0)
            begin_again(self);
        else if (!take_input(self, (size_t)count))
            fail(self);
        /* The exchange failed, or continues on a connection that is not established yet. */
        if (!self->is_connected)
            return;
    }
}

bool sdpeer_end(peer *self) {
    bool is_ok = !self->is_failed && is_over(self);
    if (!is_ok)
        fail(self);
    self->count = self->changes = self->completed = 0;
    self->output_length = self->sent = 0;
    if (self->output_capacity > max_retained) {
        free(self->output);
        self->output = NULL;
        self->output_capacity = 0;
    }
    self->is_failed = self->has_received = self->has_tokens = false;
    return is_ok;
}
