#include "exif.h"

#include <string.h>
#include <time.h>

/* Tags of EXIF 2.32: 4.6.4 and 4.6.5. */
enum {
    TAG_ORIENTATION = 0x0112,
    TAG_DATE = 0x0132,
    TAG_THUMBNAIL = 0x0201,
    TAG_THUMBNAIL_LENGTH = 0x0202,
    TAG_EXIF = 0x8769,
    TAG_ORIGINAL_DATE = 0x9003,
    TAG_DIGITIZED_DATE = 0x9004,
    TAG_OFFSET = 0x9010,
    TAG_ORIGINAL_OFFSET = 0x9011,
    TAG_DIGITIZED_OFFSET = 0x9012,
    TAG_ORIGINAL_FRACTION = 0x9291
};
enum { ASCII = 2, SHORT = 3, LONG = 4, ENTRY = 12, ENTRY_LIMIT = 1024 };

typedef struct block {
    const uint8_t *bytes;
    size_t length;
    bool is_big;
} block;

typedef struct field {
    uint16_t type;
    uint32_t count;
    size_t at; /* offset of its value */
} field;

static uint32_t number(const block *block, size_t at, size_t width) {
    uint32_t value = 0;
    if (at > block->length || block->length - at < width)
        return 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | block->bytes[at + (block->is_big ? i : width - 1 - i)];
    return value;
}

/* Finds a field of a directory; false if it is absent, or its value is outside the block. */
static bool find(const block *block, size_t directory, uint16_t tag, field *field) {
    if (!directory || directory > block->length || block->length - directory < 2)
        return false;
    size_t count = number(block, directory, 2), room = (block->length - directory - 2) / ENTRY;
    for (size_t i = 0; i < count && i < room && i < ENTRY_LIMIT; i++) {
        size_t at = directory + 2 + i * ENTRY;
        if (number(block, at, 2) != tag)
            continue;
        field->type = (uint16_t)number(block, at + 2, 2);
        field->count = number(block, at + 4, 4);
        size_t width = field->type == LONG ? 4 : field->type == SHORT ? 2 : field->type == ASCII ? 1 : 0;
        size_t size = width ? (size_t)field->count * width : 0;
        if (!size || size > block->length)
            return false;
        field->at = size <= 4 ? at + 8 : number(block, at + 8, 4);
        return field->at <= block->length && block->length - field->at >= size;
    }
    return false;
}

static uint32_t value(const block *block, size_t directory, uint16_t tag) {
    field field;
    if (!find(block, directory, tag, &field) || (field.type != SHORT && field.type != LONG))
        return 0;
    return number(block, field.at, field.type == SHORT ? 2 : 4);
}

/* Returns the next directory of a chain; 0 for none. */
static size_t next_of(const block *block, size_t directory) {
    size_t count = number(block, directory, 2), skip = 2 + count * ENTRY;
    return directory && directory <= block->length && block->length - directory >= skip + 4
               ? number(block, directory + skip, 4)
               : 0;
}

/* Parses digits of a fixed width; -1 for other characters. */
static int digits(const uint8_t *text, int width) {
    int value = 0;
    for (int i = 0; i < width; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

/* Parses "+01:30" to seconds. */
static bool offset_of(const block *block, size_t directory, uint16_t tag, int64_t *seconds) {
    field field;
    if (!find(block, directory, tag, &field) || field.type != ASCII || field.count < 6)
        return false;
    const uint8_t *text = block->bytes + field.at;
    int hours = digits(text + 1, 2), minutes = digits(text + 4, 2);
    if ((text[0] != '+' && text[0] != '-') || text[3] != ':' || hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
        return false;
    *seconds = (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/* Parses "2024:05:01 12:34:56", in the time zone of `offset_tag` if present, else in the machine's time zone. */
static bool date_of(const block *block, size_t directory, uint16_t tag, size_t offsets, uint16_t offset_tag,
                    int64_t *nanoseconds) {
    field field;
    if (!find(block, directory, tag, &field) || field.type != ASCII || field.count < 19)
        return false;
    const uint8_t *text = block->bytes + field.at;
    if (text[4] != ':' || text[7] != ':' || text[13] != ':' || text[16] != ':')
        return false;
    int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    int hour = digits(text + 11, 2), minute = digits(text + 14, 2), second = digits(text + 17, 2);
    if (year < 1800 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 ||
        minute < 0 || minute > 59 || second < 0 || second > 60)
        return false;
    struct tm date = {.tm_year = year - 1900,
                      .tm_mon = month - 1,
                      .tm_mday = day,
                      .tm_hour = hour,
                      .tm_min = minute,
                      .tm_sec = second,
                      .tm_isdst = -1};
    int64_t offset = 0;
    bool has_offset = offset_of(block, offsets, offset_tag, &offset);
    time_t seconds = has_offset ? timegm(&date) - offset : mktime(&date);
    *nanoseconds = (int64_t)seconds * 1000000000;
    return true;
}

/* Parses fractions of a second: the digits after the decimal point. */
static int64_t fraction_of(const block *block, size_t directory) {
    field field;
    if (!find(block, directory, TAG_ORIGINAL_FRACTION, &field) || field.type != ASCII)
        return 0;
    int64_t fraction = 0, unit = 100000000;
    for (uint32_t i = 0; i < field.count && unit; i++, unit /= 10) {
        int digit = digits(block->bytes + field.at + i, 1);
        if (digit < 0)
            break;
        fraction += digit * unit;
    }
    return fraction;
}

sdphoto_exif sdphoto_exif_read(const void *bytes, size_t length) {
    sdphoto_exif exif = {0};
    block block = {bytes, length, false};
    if (length >= 6 && memcmp(bytes, "Exif\0", 6) == 0) {
        block.bytes += 6;
        block.length -= 6;
    }
    if (block.length < 8 || (memcmp(block.bytes, "II*", 4) != 0 && memcmp(block.bytes, "MM\0*", 4) != 0))
        return exif;
    block.is_big = block.bytes[0] == 'M';
    size_t first = number(&block, 4, 4), inner = value(&block, first, TAG_EXIF);
    uint32_t orientation = value(&block, first, TAG_ORIENTATION);
    exif.orientation = orientation <= 8 ? (uint16_t)orientation : 0;
    if (date_of(&block, inner, TAG_ORIGINAL_DATE, inner, TAG_ORIGINAL_OFFSET, &exif.taken_ns)) {
        exif.has_date = true;
        exif.taken_ns += fraction_of(&block, inner);
    } else {
        exif.has_date = date_of(&block, inner, TAG_DIGITIZED_DATE, inner, TAG_DIGITIZED_OFFSET, &exif.taken_ns) ||
                        date_of(&block, first, TAG_DATE, inner, TAG_OFFSET, &exif.taken_ns);
    }
    size_t second = next_of(&block, first), at = value(&block, second, TAG_THUMBNAIL);
    size_t size = value(&block, second, TAG_THUMBNAIL_LENGTH);
    if (at && size > 4 && at < block.length && block.length - at >= size && block.bytes[at] == 0xff &&
        block.bytes[at + 1] == 0xd8) {
        exif.thumbnail = block.bytes + at;
        exif.thumbnail_length = size;
    }
    return exif;
}
