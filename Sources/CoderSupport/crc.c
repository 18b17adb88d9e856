#include "crc.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* Reflected polynomials. */
static const uint32_t CRC32 = 0xedb88320u, CRC32C = 0x82f63b78u;

/* For eight bytes at a time: row i is the checksum of a byte with i zero bytes after it. */
typedef struct table {
    uint32_t rows[8][256];
} table;

static table crc32_table, crc32c_table;
static bool has_instruction;

static void fill(table *table, uint32_t polynomial) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
        table->rows[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int i = 1; i < 8; i++)
            table->rows[i][byte] = table->rows[i - 1][byte] >> 8 ^ table->rows[0][table->rows[i - 1][byte] & 255];
    }
}

static void prepare(void) {
    fill(&crc32_table, CRC32);
    fill(&crc32c_table, CRC32C);
#if defined(__x86_64__)
    has_instruction = __builtin_cpu_supports("sse4.2");
#endif
}

static uint32_t load32(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t crc, const uint8_t *bytes,
                                                                     size_t length) {
    uint64_t wide = crc;
    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; length; bytes++, length--)
        crc = __builtin_ia32_crc32qi(crc, *bytes);
    return crc;
}
#endif

static uint32_t crc_by_table(const table *table, uint32_t crc, const uint8_t *bytes, size_t length) {
    const uint32_t(*rows)[256] = table->rows;
    for (; length >= 8; bytes += 8, length -= 8) {
        uint32_t low = load32(bytes) ^ crc, high = load32(bytes + 4);
        crc = rows[7][low & 255] ^ rows[6][low >> 8 & 255] ^ rows[5][low >> 16 & 255] ^ rows[4][low >> 24] ^
              rows[3][high & 255] ^ rows[2][high >> 8 & 255] ^ rows[1][high >> 16 & 255] ^ rows[0][high >> 24];
    }
    for (; length; bytes++, length--)
        crc = crc >> 8 ^ rows[0][(crc ^ *bytes) & 255];
    return crc;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

uint32_t sdcs_crc32(uint32_t before, const void *bytes, size_t length) {
    pthread_once(&once, prepare);
    return ~crc_by_table(&crc32_table, ~before, bytes, length);
}

uint32_t sdcs_crc32c(uint32_t before, const void *bytes, size_t length) {
    pthread_once(&once, prepare);
#if defined(__x86_64__)
    if (has_instruction)
        return ~crc_by_instruction(~before, bytes, length);
#endif
    return ~crc_by_table(&crc32c_table, ~before, bytes, length);
}
