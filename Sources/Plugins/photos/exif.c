/* exif.c: reading of an EXIF block with ifd.h (CoderSupport), which checks all offsets (see exif.h). */
#include "exif.h"

#include <time.h>

#include "ifd.h"

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

/* Finds a text of at least `count` bytes; NULL for none. */
static const uint8_t *find_text(const sdcs_tiff *tiff, uint64_t directory, uint16_t tag, size_t count, size_t *length) {
    sdcs_ifd_entry entry;
    if (!sdcs_ifd_find(tiff, directory, tag, &entry) || entry.type != SDCS_IFD_ASCII || entry.size < count)
        return NULL;
    *length = entry.size;
    return tiff->bytes + entry.value;
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
static bool offset_of(const sdcs_tiff *tiff, uint64_t directory, uint16_t tag, int64_t *seconds) {
    size_t length;
    const uint8_t *text = find_text(tiff, directory, tag, 6, &length);
    if (!text)
        return false;
    int hours = digits(text + 1, 2), minutes = digits(text + 4, 2);
    if ((text[0] != '+' && text[0] != '-') || text[3] != ':' || hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
        return false;
    *seconds = (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/* Parses "2024:05:01 12:34:56", in the time zone of `offset_tag` if present, else in the machine's time zone. */
static bool date_of(const sdcs_tiff *tiff, uint64_t directory, uint16_t tag, uint64_t offsets, uint16_t offset_tag,
                    int64_t *nanoseconds) {
    size_t length;
    const uint8_t *text = find_text(tiff, directory, tag, 19, &length);
    if (!text || text[4] != ':' || text[7] != ':' || text[13] != ':' || text[16] != ':')
        return false;
    /* The years bound the result: nanoseconds of 64 bits hold 292 years on either side of 1970. */
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
    /* Offset tags are in the Exif directory, also that for the date of the first one. */
    bool has_offset = offset_of(tiff, offsets, offset_tag, &offset);
    time_t seconds = has_offset ? timegm(&date) - offset : mktime(&date);
    *nanoseconds = (int64_t)seconds * 1000000000;
    return true;
}

/* Parses fractions of a second, the digits after the decimal point, to nanoseconds. */
static int64_t fraction_of(const sdcs_tiff *tiff, uint64_t directory) {
    size_t length = 0;
    const uint8_t *text = find_text(tiff, directory, TAG_ORIGINAL_FRACTION, 1, &length);
    int64_t fraction = 0, unit = 100000000;
    for (size_t i = 0; i < length && unit; i++, unit /= 10) {
        int digit = digits(text + i, 1);
        if (digit < 0)
            break;
        fraction += digit * unit;
    }
    return fraction;
}

sdphoto_exif sdphoto_exif_read(const void *bytes, size_t length) {
    sdphoto_exif exif = {0};
    sdcs_tiff tiff;
    if (!sdcs_tiff_open_exif(&tiff, bytes, length))
        return exif;
    uint64_t first = sdcs_ifd_first(&tiff), inner = sdcs_ifd_number(&tiff, first, TAG_EXIF);
    uint32_t orientation = sdcs_ifd_number(&tiff, first, TAG_ORIENTATION);
    exif.orientation = orientation <= 8 ? (uint16_t)orientation : 0;
    /* The time of the exposure; else that of digitization, or of the last change of the file. */
    if (date_of(&tiff, inner, TAG_ORIGINAL_DATE, inner, TAG_ORIGINAL_OFFSET, &exif.taken_ns)) {
        exif.has_date = true;
        exif.taken_ns += fraction_of(&tiff, inner);
    } else {
        exif.has_date = date_of(&tiff, inner, TAG_DIGITIZED_DATE, inner, TAG_DIGITIZED_OFFSET, &exif.taken_ns) ||
                        date_of(&tiff, first, TAG_DATE, inner, TAG_OFFSET, &exif.taken_ns);
    }
    uint64_t second = sdcs_ifd_next(&tiff, first), at = sdcs_ifd_number(&tiff, second, TAG_THUMBNAIL);
    uint64_t size = sdcs_ifd_number(&tiff, second, TAG_THUMBNAIL_LENGTH);
    /* The second directory describes the thumbnail. Only a JPEG counts: it begins with FF D8. */
    if (at && size > 4 && at < tiff.length && tiff.length - at >= size && tiff.bytes[at] == 0xff &&
        tiff.bytes[at + 1] == 0xd8) {
        exif.thumbnail = tiff.bytes + at;
        exif.thumbnail_length = size;
    }
    return exif;
}
