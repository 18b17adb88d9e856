#include "remote_fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "envelope.h"
#include "peer.h"
#include "sdpx_crc.h"

static void promise(bool holds, const char *text) {
    if (holds)
        return;
    fprintf(stderr, "broken promise: %s\n", text);
    abort();
}

/* Copies to a block of exactly this size, to detect reads past its end. */
static uint8_t *copy_of(const uint8_t *bytes, size_t length) {
    uint8_t *copy = malloc(length ? length : 1);
    if (!copy)
        abort();
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

/* --- Envelopes. */

/* Offset of the envelope; SIZE_MAX for an input that is too short. */
static size_t start_of_envelope(const uint8_t *bytes, size_t length) {
    size_t start = length ? 1 + (size_t)bytes[0] % 64 : SIZE_MAX;
    return start <= length ? start : SIZE_MAX;
}

static void write_again(const uint8_t *bytes, size_t length, const uint8_t *key, size_t key_length,
                        const sdremote_envelope *envelope) {
    size_t size = sdremote_envelope_size(key_length, envelope->metadata_length, envelope->data_length);
    promise(size == length, "an envelope has the length of its parts");
    uint8_t *again = malloc(size);
    if (!again)
        abort();
    sdremote_envelope_write(again, key, key_length, envelope->metadata, envelope->metadata_length, envelope->data,
                            envelope->data_length);
    promise(memcmp(again, bytes, size) == 0, "an envelope is written as it was read");
    free(again);
}

bool remote_fuzz_envelope(const uint8_t *bytes, size_t length, remote_fuzz_parts *parts) {
    size_t start = start_of_envelope(bytes, length);
    if (start == SIZE_MAX)
        return false;
    uint8_t *key = copy_of(bytes + 1, start - 1), *copy = copy_of(bytes + start, length - start);
    sdremote_envelope envelope;
    bool is_read = sdremote_envelope_read(copy, length - start, key, start - 1, &envelope);
    if (is_read) {
        write_again(copy, length - start, key, start - 1, &envelope);
        *parts = (remote_fuzz_parts){start + (size_t)(envelope.metadata - copy), envelope.metadata_length,
                                     start + (size_t)(envelope.data - copy), envelope.data_length};
    }
    free(key);
    free(copy);
    return is_read;
}

void remote_fuzz_seal(uint8_t *bytes, size_t length) {
    size_t start = start_of_envelope(bytes, length);
    if (start == SIZE_MAX || length - start < SDREMOTE_ENVELOPE_HEADER)
        return;
    uint32_t sum = sdpx_crc32c(0, bytes + start + 8, length - start - 8);
    for (int place = 0; place < 4; place++)
        bytes[start + 4 + (size_t)place] = (uint8_t)(sum >> 8 * place);
}

/* --- memcached. */

enum { commands_max = 8, value_max = 4096 };

static void make_command(sdremote_command *command, uint8_t choice) {
    static const sdremote_verb verbs[] = {SDREMOTE_GET,  SDREMOTE_GET,    SDREMOTE_SET, SDREMOTE_ADD,
                                          SDREMOTE_SWAP, SDREMOTE_DELETE, SDREMOTE_CAS, SDREMOTE_GET};
    static const char *const keys[] = {"a", "b", "key", "longer-key"};
    const char *key = keys[choice >> 3 & 3];
    *command = (sdremote_command){.verb = verbs[choice & 7],
                                  .key = key,
                                  .key_length = strlen(key),
                                  .value = "value",
                                  .value_length = 5,
                                  .ttl_ms = choice};
}

/* Checks the result of an exchange: a complete exchange has a reply for every command, and values respect their
 * limit. */
static void check_command(sdremote_command *command, bool is_good) {
    promise(!is_good || command->has_response, "a complete exchange answers every command");
    promise(!command->owner || (command->is_true && command->length <= value_max), "a value keeps its limit");
    volatile uint8_t sum = 0;
    for (size_t i = 0; command->owner && i < command->length; i++)
        sum += ((const uint8_t *)command->bytes)[i];
    if (command->owner)
        command->release(command->owner);
}

static void send_pieces(peer *self, int server, const uint8_t *bytes, size_t length, size_t piece) {
    while (sdpeer_is_busy(self) && length) {
        size_t count = length < piece ? length : piece;
        ssize_t sent = send(server, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        bytes += sent;
        length -= (size_t)sent;
        sdpeer_continue(self);
    }
}

void remote_fuzz_memcached(const uint8_t *bytes, size_t length) {
    if (length < 3)
        return;
    size_t count = 1 + bytes[0] % commands_max, piece = bytes[1] ? bytes[1] : SDPEER_INPUT;
    if (length < 2 + count)
        return;
    int ends[2];
    peer *self = calloc(1, sizeof *self);
    if (!self || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
        abort();
    sdpeer_init(self, "/nonexistent", 0, value_max);
    self->socket = ends[0];
    sdremote_command commands[commands_max];
    for (size_t i = 0; i < count; i++) {
        make_command(&commands[i], bytes[2 + i]);
        sdpeer_add(self, &commands[i]);
    }
    sdpeer_begin(self);
    if (sdpeer_is_busy(self))
        sdpeer_continue(self);
    send_pieces(self, ends[1], bytes + 2 + count, length - 2 - count, piece);
    close(ends[1]);
    if (sdpeer_is_busy(self))
        sdpeer_continue(self);
    bool is_good = sdpeer_end(self);
    for (size_t i = 0; i < count; i++)
        check_command(&commands[i], is_good);
    sdpeer_close(self);
    free(self);
}
