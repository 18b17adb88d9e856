/* extreme_values.c: the lists of values of extreme_calls.h. The first value of each is a sensible one. */
#include <float.h>
#include <math.h>

#include "extreme_calls.h"

#define ITEM(value)                                                                                                    \
    { value, #value }
#define END_OF(name)                                                                                                   \
    const size_t name##_count = sizeof name / sizeof *name;                                                            \
    const char *name##_text(size_t index) {                                                                            \
        return name[index].text;                                                                                       \
    }

const flags_item flags[] = {ITEM(true), ITEM(false)};
END_OF(flags)

const doubles_item doubles[] = {ITEM(1),
                                ITEM(0),
                                ITEM(-0.0),
                                ITEM(-1),
                                ITEM(0.5),
                                ITEM(1.5),
                                ITEM(100),
                                ITEM(DBL_TRUE_MIN),
                                ITEM(-DBL_TRUE_MIN),
                                ITEM(1e-308),
                                ITEM(1e-9),
                                ITEM(1e9),
                                ITEM(-1e9),
                                ITEM(2147483648.0),
                                ITEM(9.3e18),
                                ITEM(1.8446744073709552e19),
                                ITEM(1e300),
                                ITEM(DBL_MAX),
                                ITEM(-DBL_MAX),
                                ITEM(INFINITY),
                                ITEM(-INFINITY),
                                ITEM(NAN)};
END_OF(doubles)

const sizes_item sizes[] = {ITEM(1),
                            ITEM(0),
                            ITEM(2),
                            ITEM(8),
                            ITEM(255),
                            ITEM(65536),
                            ITEM(INT32_MAX),
                            ITEM(UINT32_MAX),
                            ITEM(1ull << 32),
                            ITEM(1ull << 53),
                            ITEM(INT64_MAX / 1000000000),
                            ITEM(INT64_MAX - 1),
                            ITEM(INT64_MAX),
                            ITEM(1ull << 63),
                            ITEM(UINT64_MAX - 63),
                            ITEM(UINT64_MAX - 1),
                            ITEM(UINT64_MAX)};
END_OF(sizes)

const integers_item integers[] = {ITEM(1),
                                  ITEM(0),
                                  ITEM(-1),
                                  ITEM(2),
                                  ITEM(INT32_MAX),
                                  ITEM(INT32_MIN),
                                  ITEM(1ll << 53),
                                  ITEM(INT64_MAX / 1000000000),
                                  ITEM(INT64_MAX - 1),
                                  ITEM(INT64_MAX),
                                  ITEM(INT64_MIN),
                                  ITEM(INT64_MIN + 1)};
END_OF(integers)

const words_item words[] = {
    ITEM(2),         ITEM(0),     ITEM(1),     ITEM(7),        ITEM(255),       ITEM(256),      ITEM(4096),
    ITEM(16384),     ITEM(65535), ITEM(65536), ITEM(1u << 20), ITEM(INT32_MAX), ITEM(1u << 31), ITEM(UINT32_MAX - 1),
    ITEM(UINT32_MAX)};
END_OF(words)

const short_integers_item short_integers[] = {
    ITEM(200),          ITEM(0), ITEM(1), ITEM(-1), ITEM(304), ITEM(INT32_MAX), ITEM(INT32_MAX - 1), ITEM(INT32_MIN),
    ITEM(INT32_MIN + 1)};
END_OF(short_integers)

const enums_item enums[] = {ITEM(1),     ITEM(0),   ITEM(2),     ITEM(3),         ITEM(4),        ITEM(5),
                            ITEM(6),     ITEM(7),   ITEM(8),     ITEM(9),         ITEM(10),       ITEM(11),
                            ITEM(12),    ITEM(13),  ITEM(14),    ITEM(15),        ITEM(16),       ITEM(17),
                            ITEM(18),    ITEM(19),  ITEM(22),    ITEM(27),        ITEM(28),       ITEM(-1),
                            ITEM(-3002), ITEM(255), ITEM(65536), ITEM(INT32_MAX), ITEM(INT32_MIN)};
END_OF(enums)

/* Counts for arrays of two elements; up to more than any memory holds. */
const counts_item counts[] = {ITEM(2), ITEM(0), ITEM(1), ITEM(SIZE_MAX), ITEM(SIZE_MAX / 2 + 1), ITEM(SIZE_MAX - 1)};
END_OF(counts)

const array_sizes_item array_sizes[] = {ITEM(24),          ITEM(0),       ITEM(1),        ITEM(12),
                                        ITEM(1 << 20),     ITEM(1 << 30), ITEM(SIZE_MAX), ITEM(SIZE_MAX / 2 + 1),
                                        ITEM(SIZE_MAX - 1)};
END_OF(array_sizes)

static const double plain_scales[] = {1, 2}, zero_scales[] = {0, -1}, wide_scales[] = {DBL_MAX, DBL_TRUE_MIN},
                    no_scales[] = {NAN, INFINITY}, large_scales[] = {1e19, 1e300};
const scales_item scales[] = {ITEM(plain_scales), ITEM(zero_scales),  ITEM(wide_scales),
                              ITEM(no_scales),    ITEM(large_scales), ITEM(NULL)};
END_OF(scales)

static const uint32_t plain_durations[] = {10, 10}, no_durations[] = {0, 0},
                      long_durations[] = {UINT32_MAX, UINT32_MAX};
const durations_item durations[] = {ITEM(plain_durations), ITEM(no_durations), ITEM(long_durations), ITEM(NULL)};
END_OF(durations)

/* Names of parameters of filters and coders. */
const names_item names[] = {ITEM("radius"), ITEM("name"), ITEM("page"), ITEM("time"),
                            ITEM("width"),  ITEM(""),     ITEM(NULL)};
END_OF(names)

/* --- Memory and its length. Lengths beyond the address space must be refused; SIZE_MAX is SDIMAGE_NUL_TERMINATED. */

static char long_text[(1 << 20) + 1];
static const unsigned char not_text[] = {0xff, 0xfe, 0, 0x80, 0xed, 0xa0, 0x80};

__attribute__((constructor)) static void fill_long_text(void) {
    memset(long_text, '/', sizeof long_text - 1);
}

#define LENGTHS(pointer)                                                                                               \
    {pointer, 1, #pointer ", 1"}, {pointer, 7, #pointer ", 7"}, {pointer, SIZE_MAX - 1, #pointer ", SIZE_MAX - 1"},    \
        {pointer, SIZE_MAX / 2 + 1, #pointer ", SIZE_MAX / 2 + 1"}, {                                                  \
        pointer, 0, #pointer ", 0"                                                                                     \
    }
#define NOTHING                                                                                                        \
    {NULL, 0, "NULL, 0"}, {NULL, 1, "NULL, 1"}, {NULL, SIZE_MAX, "NULL, SIZE_MAX"}, {                                  \
        NULL, SIZE_MAX / 2 + 1, "NULL, SIZE_MAX / 2 + 1"                                                               \
    }

const extent texts[] = {{text, 14, "text, 14"},
                        {text, SIZE_MAX, "text, SIZE_MAX"},
                        LENGTHS(text),
                        NOTHING,
                        {long_text, 65535, "long_text, 65535"},
                        {long_text, 1 << 20, "long_text, 1 << 20"},
                        {long_text, SIZE_MAX, "long_text, SIZE_MAX"},
                        {not_text, sizeof not_text, "not_text, 7"},
                        {"a\0b", 3, "a\\0b, 3"},
                        {"", SIZE_MAX, "\"\", SIZE_MAX"}};
const size_t texts_count = sizeof texts / sizeof *texts;
const char *texts_text(size_t index) {
    return texts[index].text;
}

/* Here SIZE_MAX does not mean "up to the NUL". */
const extent contents[] = {{png_2x2, sizeof png_2x2, "png_2x2, 75"},
                           LENGTHS(png_2x2),
                           LENGTHS(gif_1x1),
                           NOTHING,
                           {png_30000x30000, sizeof png_30000x30000, "png_30000x30000, 74"},
                           {long_text, 1 << 20, "long_text, 1 << 20"},
                           {not_text, sizeof not_text, "not_text, 7"}};
const size_t contents_count = sizeof contents / sizeof *contents;
const char *contents_text(size_t index) {
    return contents[index].text;
}
