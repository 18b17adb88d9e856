/* codestream.c: positions in a codestream, and its bits (see codestream.h). */
#include "codestream.h"

#include "boxes.h"

/* Moves to the codestream in the next box that has some; false if its header has not arrived. Boxes are checked only as
 * far as needed to find the next one, since libjxl checks them, too. */
static bool open_box(sdjxl_reader *reader) {
    sdjxl_position *position = &reader->position;
    while (!reader->is_damaged && position->next < reader->length) {
        sdcs_span rest = {reader->bytes + position->next, reader->length - position->next};
        uint64_t size, header = 8;
        uint32_t type;
        if (!sdcs_take(&rest, 4, &size) || !sdcs_take32(&rest, &type))
            return false;
        if (size == 1) {
            header = 16;
            if (!sdcs_take(&rest, 8, &size))
                return false;
        }
        /* The index of a partial codestream. */
        if (type == SDCS_FOURCC('j', 'x', 'l', 'p'))
            header += 4;
        reader->is_damaged = size && size < header;
        size_t begin = position->next + (size_t)header;
        bool is_last = !size || size > SIZE_MAX - position->next;
        position->next = is_last ? SIZE_MAX : position->next + (size_t)size;
        if (type == SDCS_FOURCC('j', 'x', 'l', 'p') || type == SDCS_FOURCC('j', 'x', 'l', 'c')) {
            position->end = position->next;
            position->at = begin < position->end ? begin : position->end;
            return !reader->is_damaged;
        }
    }
    return false;
}

sdjxl_reader sdjxl_read_at(const uint8_t *bytes, size_t length, size_t offset) {
    sdjxl_reader reader = {.bytes = bytes, .length = length};
    /* A bare codestream begins with its signature, a file with a box. */
    if (length && bytes[0] == 0xFF)
        reader.position = (sdjxl_position){offset, SIZE_MAX, SIZE_MAX};
    while (reader.position.end <= offset && open_box(&reader))
        ;
    if (reader.position.at < offset)
        reader.position.at = offset;
    return reader;
}

uint64_t sdjxl_skip_bytes(sdjxl_reader *reader, uint64_t count) {
    sdjxl_position *position = &reader->position;
    for (;;) {
        size_t left = position->end - position->at;
        if (count <= left) {
            position->at += (size_t)count;
            return 0;
        }
        position->at = position->end;
        count -= left;
        if (!open_box(reader))
            return count;
    }
}

size_t sdjxl_take_bytes(sdjxl_reader *reader, size_t most) {
    sdjxl_position *position = &reader->position;
    while (position->at == position->end && open_box(reader))
        ;
    size_t end = position->end < reader->length ? position->end : reader->length;
    size_t left = position->at < end ? end - position->at : 0, count = left < most ? left : most;
    position->at += count;
    return count;
}

/* Takes the next byte. */
static uint8_t take_byte(sdjxl_reader *reader) {
    if (sdjxl_take_bytes(reader, 1))
        return reader->bytes[reader->position.at - 1];
    reader->is_short = true;
    return 0;
}

uint32_t sdjxl_take_bits(sdjxl_reader *reader, unsigned count) {
    for (; reader->held_count < count; reader->held_count += 8)
        reader->held |= (uint64_t)take_byte(reader) << reader->held_count;
    uint32_t value = (uint32_t)(reader->held & ((UINT64_C(1) << count) - 1));
    reader->held >>= count, reader->held_count -= count;
    return value;
}

void sdjxl_align(sdjxl_reader *reader) {
    reader->held = 0, reader->held_count = 0;
}
