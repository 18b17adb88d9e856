/* support.c: what coders, caches and the photo library share, against the examples of the standards and with damaged
 * bytes.
 *
 * Built with sanitizers, from the sources of Sources/CoderSupport. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "boxes.h"
#include "sdpx_crc.h"
#include "fnv.h"
#include "hex.h"
#include "ifd.h"
#include "md5.h"
#include "percent.h"
#include "sdpx_hash.h"
#include "sdpx_sha256.h"

static int failures;

static void check(const char *name, bool is_fine) {
    printf("%s %s\n", is_fine ? "ok" : "not ok", name);
    failures += !is_fine;
}

/* --- Checksums and digests. */

static void checksums(void) {
    static uint8_t many[1003];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (uint8_t)(i * 7 + 3);
    check("CRC-32 is that of PNG", sdpx_crc32(0, "123456789", 9) == 0xcbf43926u && sdpx_crc32(0, "", 0) == 0);
    check("CRC-32C is that of RFC 3720", sdpx_crc32c(0, "123456789", 9) == 0xe3069283u);
    bool is_same = true;
    for (size_t i = 0; i < sizeof many; i++)
        is_same = is_same &&
                  sdpx_crc32(sdpx_crc32(0, many, i), many + i, sizeof many - i) == sdpx_crc32(0, many, sizeof many) &&
                  sdpx_crc32c(sdpx_crc32c(0, many, i), many + i, sizeof many - i) == sdpx_crc32c(0, many, sizeof many);
    check("checksums of parts continue at any byte", is_same);
    check("FNV-1a has the values of its draft",
          sdcs_fnv1a("", 0) == 0xcbf29ce484222325u && sdcs_fnv1a("foobar", 6) == 0x85944171f73967e8u);
    check("FNV-1a continues at any byte", sdcs_fnv1a_add(sdcs_fnv1a("fooba", 5), 'r') == sdcs_fnv1a("foobar", 6));
    /* The key 00 01 ... 0f and the message 00 01 ... 0e, as in appendix A of the paper. */
    static const uint8_t message[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    check("SipHash-1-3 has its published value",
          sdpx_sip_hash(message, sizeof message, 0x0706050403020100u, 0x0f0e0d0c0b0a0908u) == 0xd320d86d2a519956u);
}

static void digests(void) {
    char text[65];
    uint8_t digest[SDPX_SHA256_BYTES];
    sdcs_md5_text("message digest", 14, text);
    check("MD5 is that of RFC 1321", strcmp(text, "f96b697d7cb7938d525a2f31aaf161d0") == 0);
    sdpx_sha256("abc", 3, digest);
    sdcs_hex_write(text, digest, sizeof digest);
    check("SHA-256 is that of FIPS 180-4",
          strcmp(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == 0);
}

/* --- Texts. */

static bool decodes(const char *text, const char *expected) {
    char bytes[64];
    snprintf(bytes, sizeof bytes, "%s", text);
    return sdcs_percent_decode_text(bytes) ? expected && strcmp(bytes, expected) == 0 : !expected;
}

static bool decodes_leniently(const char *text, const char *expected, size_t length) {
    uint8_t bytes[64];
    memcpy(bytes, text, strlen(text));
    return sdcs_percent_decode(bytes, strlen(text)) == length && memcmp(bytes, expected, length) == 0;
}

static bool decodes_base64(const char *text, const char *expected) {
    uint8_t bytes[64];
    memcpy(bytes, text, strlen(text));
    size_t length = sdcs_base64_decode(bytes, strlen(text));
    return length == strlen(expected) && memcmp(bytes, expected, length) == 0;
}

static void texts(void) {
    check("percent-encoding is decoded",
          decodes("a%20b%c3%A9", "a b\xc3\xa9") && decodes("", "") && decodes("%25", "%"));
    check("percent-encoding without two digits is refused in texts",
          decodes("%", NULL) && decodes("a%4", NULL) && decodes("%4g", NULL) && decodes("%g4", NULL));
    check("percent-encoding of a NUL is refused in texts", decodes("a%00b", NULL));
    check("percent-encoding without two digits is copied in bytes", decodes_leniently("%4g%", "%4g%", 4) &&
                                                                        decodes_leniently("a%00b", "a\0b", 3) &&
                                                                        decodes_leniently("%2541", "%41", 3));
    check("Base 64 has the values of RFC 4648",
          decodes_base64("Zm9vYmFy", "foobar") && decodes_base64("Zm9vYg==", "foob") && decodes_base64("", ""));
    check("Base 64 has two alphabets, and other characters are ignored",
          decodes_base64("-_8=", "\xfb\xff") && decodes_base64("+/8", "\xfb\xff") && decodes_base64("Z m\n9v", "foo"));
}

/* --- Boxes. */

static void boxes(void) {
    static const uint8_t file[] = {0,   0, 0, 12, 'a', 'b', 'c', 'd', 1,  2, 3, 4, 0, 0, 0,   1,   'l', 'a', 'r',
                                   'g', 0, 0, 0,  0,   0,   0,   0,   17, 9, 0, 0, 0, 0, 'r', 'e', 's', 't', 5};
    sdcs_span span = {file, sizeof file}, body;
    sdcs_box box;
    uint32_t number = 0;
    bool is_fine = sdcs_next_box(&span, &box) && box.type == SDCS_FOURCC('a', 'b', 'c', 'd') && box.body.length == 4 &&
                   sdcs_take32(&box.body, &number) && number == 0x01020304;
    is_fine = is_fine && sdcs_next_box(&span, &box) && box.body.length == 1 && *box.body.bytes == 9;
    is_fine = is_fine && sdcs_next_box(&span, &box) && box.body.length == 1 && *box.body.bytes == 5 && !span.length;
    check("boxes have sizes of 32 and 64 bits, and the last one ends with the file", is_fine);
    check("a box is found by its type",
          sdcs_find_box((sdcs_span){file, sizeof file}, SDCS_FOURCC('r', 'e', 's', 't'), &body) && body.length == 1);
    for (size_t i = 0; i < sizeof file; i++) {
        uint8_t *copy = malloc(i ? i : 1);
        memcpy(copy, file, i);
        for (span = (sdcs_span){copy, i}; sdcs_next_box(&span, &box);)
            is_fine = is_fine && box.body.length <= i;
        free(copy);
    }
    check("a file of boxes can end at every byte", is_fine);
}

/* --- Directories. */

static void put(uint8_t **to, size_t size, uint64_t value, bool is_big_endian) {
    for (size_t i = 0; i < size; i++)
        *(*to)++ = (uint8_t)(value >> 8 * (is_big_endian ? size - 1 - i : i));
}

/* Writes a directory of an orientation, a text of 12 bytes after it, and an empty directory as its next one. */
static size_t write_file(uint8_t *bytes, bool is_big_endian, bool is_bigtiff) {
    size_t word = is_bigtiff ? 8 : 4, count = is_bigtiff ? 8 : 2, head = is_bigtiff ? 16 : 8;
    size_t text = head + count + 2 * (4 + 2 * word) + word, next = text + 12;
    uint8_t *to = bytes;
    memcpy(to, is_big_endian ? "MM" : "II", 2);
    to += 2;
    put(&to, 2, is_bigtiff ? 43 : 42, is_big_endian);
    if (is_bigtiff)
        put(&to, 4, is_big_endian ? 8 << 16 : 8, is_big_endian);
    put(&to, word, head, is_big_endian);
    put(&to, count, 2, is_big_endian);
    put(&to, 2, 0x0112, is_big_endian);
    put(&to, 2, SDCS_IFD_SHORT, is_big_endian);
    put(&to, word, 1, is_big_endian);
    put(&to, 2, 6, is_big_endian);
    put(&to, word - 2, 0, is_big_endian);
    put(&to, 2, 0x0131, is_big_endian);
    put(&to, 2, SDCS_IFD_ASCII, is_big_endian);
    put(&to, word, 12, is_big_endian);
    put(&to, word, text, is_big_endian);
    put(&to, word, next, is_big_endian);
    memcpy(to, "hello world", 12);
    to += 12;
    put(&to, count, 0, is_big_endian);
    put(&to, word, 0, is_big_endian);
    return (size_t)(to - bytes);
}

/* Reads everything that a file has; the results are inside the bytes. */
static bool is_contained(const uint8_t *bytes, size_t length) {
    sdcs_tiff tiff;
    sdcs_ifd_entry entry;
    volatile uint8_t last = 0;
    if (!sdcs_tiff_open(&tiff, bytes, length))
        return true;
    uint64_t directory = sdcs_ifd_first(&tiff);
    for (int i = 0; i < 8 && directory; i++, directory = sdcs_ifd_next(&tiff, directory)) {
        for (uint64_t at = 0; at < 64 && sdcs_ifd_entry_at(&tiff, directory, at, &entry); at++) {
            for (size_t byte = 0; byte < entry.size; byte++)
                last = tiff.bytes[entry.value + byte];
            if (entry.size && (entry.value > length || length - entry.value < entry.size))
                return false;
        }
    }
    (void)last;
    return true;
}

static bool is_read(const uint8_t *bytes, size_t length) {
    sdcs_tiff tiff;
    sdcs_ifd_entry entry;
    if (!sdcs_tiff_open(&tiff, bytes, length))
        return false;
    uint64_t first = sdcs_ifd_first(&tiff), next = sdcs_ifd_next(&tiff, first);
    return sdcs_ifd_number(&tiff, first, 0x0112) == 6 && sdcs_ifd_find(&tiff, first, 0x0131, &entry) &&
           entry.size == 12 && memcmp(bytes + entry.value, "hello world", 12) == 0 &&
           !sdcs_ifd_find(&tiff, first, 0x0100, &entry) && next == entry.value + 12 && !sdcs_ifd_next(&tiff, next);
}

static void directories(void) {
    bool reads = true, contains = true;
    for (int kind = 0; kind < 4; kind++) {
        uint8_t bytes[256];
        size_t length = write_file(bytes, kind & 1, kind & 2);
        reads = reads && is_read(bytes, length);
        for (size_t i = 0; i <= length; i++) {
            uint8_t *copy = malloc(i ? i : 1);
            memcpy(copy, bytes, i);
            contains = contains && is_contained(copy, i);
            for (size_t at = 0; i == length && at < length; at++) {
                for (int value = 0; value < 256; value += 51) {
                    copy[at] = (uint8_t)value;
                    contains = contains && is_contained(copy, i);
                }
                copy[at] = bytes[at];
            }
            free(copy);
        }
    }
    check("directories are read in both byte orders, and in BigTIFF", reads);
    check("directories can end at every byte, and each byte can be another", contains);
    uint8_t exif[300] = "Exif\0";
    sdcs_tiff tiff;
    size_t length = write_file(exif + 6, true, false);
    check("an EXIF block may have a prefix",
          sdcs_tiff_open_exif(&tiff, exif, length + 6) && tiff.bytes == exif + 6 && tiff.length == length &&
              sdcs_tiff_open_exif(&tiff, exif + 6, length) && tiff.bytes == exif + 6);
    length = write_file(exif + 6, true, true);
    check("an EXIF block is not BigTIFF", !sdcs_tiff_open_exif(&tiff, exif, length + 6));
}

int main(void) {
    checksums();
    digests();
    texts();
    boxes();
    directories();
    return failures ? 1 : 0;
}
