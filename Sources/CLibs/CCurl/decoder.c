/* decoder.c: content codings of responses (RFC 9110, section 8.4.1). ContentDecoder calls it for each part of a body as
 * it arrives; a decoder belongs to one coding of one response. */
#define _GNU_SOURCE
#include "CCurl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Types of Zstandard (ZSTD_inBuffer, ZSTD_outBuffer). Brotli and Zstandard are available only if libcurl was built with
 * them. Their functions are looked up among the libraries that libcurl was linked with, whatever the names of these.
 * Their interfaces are stable (brotli/decode.h, zstd.h). */
typedef struct zstd_in {
    const void *bytes;
    size_t size, position;
} zstd_in;

typedef struct zstd_out {
    void *bytes;
    size_t size, position;
} zstd_out;

static struct {
    void *(*make)(void *, void *, void *);
    void (*free)(void *);
    int (*decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
} brotli;

static struct {
    void *(*make)(void);
    size_t (*free)(void *);
    size_t (*decode)(void *, zstd_out *, zstd_in *);
    size_t (*set)(void *, int, int);
    unsigned (*is_error)(size_t);
} zstd;

enum {
    brotli_error = 0,
    brotli_success = 1,
    zstd_window_log_max = 100,
    /* The largest window of the content coding: 8 MiB (RFC 9659). */
    zstd_window_log = 23,
    /* Window sizes of zlib: automatic for gzip and zlib; raw deflate without a header. */
    zlib_window = 15 + 32,
    deflate_window = -15,
};

/* The decoder of one coding. */
struct ccurl_decoder {
    ccurl_coding coding; /* selects the decoder */
    z_stream zlib;       /* for gzip and deflate */
    void *other;         /* the decoder of Brotli or Zstandard */
    /* The first two bytes of "deflate" show if there is a header. */
    uint8_t first[2];
    int first_count;          /* bytes in `first` */
    bool is_begun, has_ended; /* "deflate" has passed its header; the last frame is complete */
};

/* Stores the address of a function; NULL if it is missing. */
static bool find(void *library, const char *name, void *function) {
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

unsigned ccurl_find_decoders(void) {
    unsigned found = 1u << CCURL_GZIP | 1u << CCURL_DEFLATE;
    Dl_info info;
    CURL *(*const function)(void) = curl_easy_init;
    void *address = NULL;
    memcpy(&address, &function, sizeof address);
    /* dlsym searches the library that contains libcurl, and those it was linked with. */
    void *library = dladdr(address, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (!library) /* libcurl is linked statically */
        library = dlopen(NULL, RTLD_NOW);
    if (find(library, "BrotliDecoderCreateInstance", &brotli.make) &&
        find(library, "BrotliDecoderDestroyInstance", &brotli.free) &&
        find(library, "BrotliDecoderDecompressStream", &brotli.decode))
        found |= 1u << CCURL_BROTLI;
    if (find(library, "ZSTD_createDStream", &zstd.make) && find(library, "ZSTD_freeDStream", &zstd.free) &&
        find(library, "ZSTD_decompressStream", &zstd.decode) && find(library, "ZSTD_DCtx_setParameter", &zstd.set) &&
        find(library, "ZSTD_isError", &zstd.is_error))
        found |= 1u << CCURL_ZSTD;
    return found;
}

ccurl_decoder *ccurl_decoder_make(ccurl_coding coding) {
    ccurl_decoder *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->coding = coding;
    /* Brotli and Zstandard are not supported where their functions were not found. */
    bool is_ready = false;
    switch (coding) {
    case CCURL_GZIP: is_ready = inflateInit2(&made->zlib, zlib_window) == Z_OK; break;
    case CCURL_DEFLATE: is_ready = inflateInit2(&made->zlib, deflate_window) == Z_OK; break;
    case CCURL_BROTLI: is_ready = brotli.make && (made->other = brotli.make(NULL, NULL, NULL)) != NULL; break;
    case CCURL_ZSTD:
        is_ready = zstd.make && (made->other = zstd.make()) != NULL &&
                   !zstd.is_error(zstd.set(made->other, zstd_window_log_max, zstd_window_log));
        break;
    }
    if (is_ready)
        return made;
    ccurl_decoder_free(made);
    return NULL;
}

void ccurl_decoder_free(ccurl_decoder *decoder) {
    if (!decoder)
        return;
    if (decoder->coding == CCURL_BROTLI && decoder->other)
        brotli.free(decoder->other);
    else if (decoder->coding == CCURL_ZSTD && decoder->other)
        zstd.free(decoder->other);
    else if (decoder->coding == CCURL_GZIP || decoder->coding == CCURL_DEFLATE)
        inflateEnd(&decoder->zlib);
    free(decoder);
}

/* Inflates up to 1 GiB of input and output at a time, because zlib counts in 32 bits. */
static ccurl_decoding inflate_more(z_stream *zlib, const uint8_t **bytes, size_t *count, uint8_t *out, size_t room,
                                   size_t *made) {
    enum { most = 1 << 30 };
    uInt offered = *count < most ? (uInt)*count : most, size = room < most ? (uInt)room : most;
    zlib->next_in = (Bytef *)(uintptr_t)*bytes;
    zlib->avail_in = offered;
    zlib->next_out = out;
    zlib->avail_out = size;
    int code = inflate(zlib, Z_NO_FLUSH);
    *bytes += offered - zlib->avail_in;
    *count -= offered - zlib->avail_in;
    *made = size - zlib->avail_out;
    switch (code) {
    /* Z_BUF_ERROR: input or room is used up, which is no error of the data. */
    case Z_STREAM_END: return CCURL_ENDED;
    case Z_OK:
    case Z_BUF_ERROR: return CCURL_MORE;
    default: return code == Z_MEM_ERROR ? CCURL_NO_MEMORY : CCURL_DAMAGED;
    }
}

/* Decodes "deflate". RFC 9110 requires a zlib header; some servers omit it. */
static ccurl_decoding inflate_deflate(ccurl_decoder *decoder, const uint8_t **bytes, size_t *count, uint8_t *out,
                                      size_t room, size_t *made) {
    while (!decoder->is_begun && decoder->first_count < 2 && *count > 0) {
        decoder->first[decoder->first_count++] = *(*bytes)++;
        --*count;
    }
    if (!decoder->is_begun) {
        if (decoder->first_count < 2)
            return CCURL_MORE;
        /* Bits 0-3 of the header are the method, and both bytes are a multiple of 31 (RFC 1950, section 2.2). */
        bool has_header =
            (decoder->first[0] & 15) == Z_DEFLATED && (decoder->first[0] << 8 | decoder->first[1]) % 31 == 0;
        if (has_header && inflateReset2(&decoder->zlib, MAX_WBITS) != Z_OK)
            return CCURL_NO_MEMORY;
        decoder->is_begun = true;
        /* The two bytes belong to the data in either case. */
        const uint8_t *first = decoder->first;
        size_t left = 2;
        ccurl_decoding code = inflate_more(&decoder->zlib, &first, &left, out, room, made);
        if (code != CCURL_MORE || *made > 0)
            return code;
    }
    return inflate_more(&decoder->zlib, bytes, count, out, room, made);
}

/* Decodes one frame of the coding; advances the input and stores the number of bytes written. */
static ccurl_decoding decode(ccurl_decoder *decoder, const uint8_t **bytes, size_t *count, uint8_t *out, size_t room,
                             size_t *made) {
    switch (decoder->coding) {
    case CCURL_GZIP: return inflate_more(&decoder->zlib, bytes, count, out, room, made);
    case CCURL_DEFLATE: return inflate_deflate(decoder, bytes, count, out, room, made);
    case CCURL_BROTLI: {
        size_t left = room;
        int code = brotli.decode(decoder->other, count, bytes, &left, &out, NULL);
        *made = room - left;
        return code == brotli_success ? CCURL_ENDED : code == brotli_error ? CCURL_DAMAGED : CCURL_MORE;
    }
    case CCURL_ZSTD: {
        zstd_in in = {*bytes, *count, 0};
        zstd_out written = {out, room, 0};
        size_t code = zstd.decode(decoder->other, &written, &in);
        *bytes += in.position;
        *count -= in.position;
        *made = written.position;
        return zstd.is_error(code) ? CCURL_DAMAGED : code == 0 ? CCURL_ENDED : CCURL_MORE;
    }
    }
    return CCURL_DAMAGED;
}

/* Reports that the byte begins another gzip member (RFC 1952, section 2.2) or another Zstandard frame, including a
 * skippable one (RFC 8878, section 3.1). */
static bool continues(const ccurl_decoder *decoder, uint8_t byte) {
    if (decoder->coding == CCURL_ZSTD)
        return byte == 0x28 || (byte & 0xf0) == 0x50;
    return decoder->coding == CCURL_GZIP && byte == 0x1f;
}

ccurl_decoding ccurl_decode(ccurl_decoder *decoder, const uint8_t **bytes, size_t *count, uint8_t *out, size_t room,
                            size_t *made) {
    *made = 0;
    if (decoder->has_ended && *count > 0) {
        /* Bytes after the end are ignored. */
        if (!continues(decoder, **bytes)) {
            *bytes += *count;
            *count = 0;
            return CCURL_ENDED;
        }
        if (decoder->coding == CCURL_GZIP && inflateReset(&decoder->zlib) != Z_OK)
            return CCURL_NO_MEMORY;
        decoder->has_ended = false;
    }
    if (decoder->has_ended)
        return CCURL_ENDED;
    ccurl_decoding code = decode(decoder, bytes, count, out, room, made);
    decoder->has_ended = code == CCURL_ENDED;
    return code;
}
