/* request.h: requests for images: the URL, the form of the result, and the cache layers.
 *
 * Setters cannot fail: an invalid value is reported by the load, and an unknown value of an enum counts as the default.
 * For an object that has a `_reset_` function, NULL means "explicitly none", and `_reset_` restores the object of the
 * manager; for others, NULL is the default. Class: single-owner; a load copies the request, which may then be changed
 * and reused.
 *
 * docs/guides/migrating-from-sdwebimage.md names the counterpart of every option bit and context key of SDWebImage. */
#ifndef SDIMAGE_REQUEST_H
#define SDIMAGE_REQUEST_H

#include "base.h"
#include "data.h"
#include "decode.h"
#include "encode.h"
#include "options.h"
#include "task.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sources that a load may use. */
typedef enum SDIMAGE_ENUM sdimage_source_policy {
    SDIMAGE_SOURCE_POLICY_ANY = 0,        /* caches, then the loader */
    SDIMAGE_SOURCE_POLICY_CACHE_ONLY = 1, /* caches only; a miss is no error */
    SDIMAGE_SOURCE_POLICY_LOADER_ONLY = 2 /* the loader only; its image is still stored */
} sdimage_source_policy;

/* Use of a cache by a load: a set of bits, each an exception from the default, and their common combinations. */
typedef enum SDIMAGE_ENUM sdimage_cache_policy {
    SDIMAGE_CACHE_POLICY_DEFAULT = 0,              /* looks up and stores in memory and on disk */
    SDIMAGE_CACHE_POLICY_SKIP_MEMORY_READ = 1,     /* no look-up in memory */
    SDIMAGE_CACHE_POLICY_SKIP_MEMORY_WRITE = 2,    /* no store in memory */
    SDIMAGE_CACHE_POLICY_SKIP_DISK_READ = 4,       /* no look-up on disk */
    SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE = 8,      /* no store on disk */
    SDIMAGE_CACHE_POLICY_SKIP_ORIGINAL_READ = 16,  /* no look-up of the original on disk */
    SDIMAGE_CACHE_POLICY_SKIP_ORIGINAL_WRITE = 32, /* no store of the original on disk */
    /* also derives the image from an original in memory */
    SDIMAGE_CACHE_POLICY_READ_ORIGINAL_FROM_MEMORY = 64,
    /* also stores in memory an original that was decoded only to be transformed, but not that of a thumbnail */
    SDIMAGE_CACHE_POLICY_STORE_ORIGINAL_IN_MEMORY = 128,

    SDIMAGE_CACHE_POLICY_MEMORY_ONLY = 60, /* neither reads nor writes the disk */
    SDIMAGE_CACHE_POLICY_DISK_ONLY = 3,    /* neither reads nor writes memory */
    SDIMAGE_CACHE_POLICY_READ_ONLY = 42,   /* stores nothing */
    SDIMAGE_CACHE_POLICY_WRITE_ONLY = 21,  /* looks up nothing */
    SDIMAGE_CACHE_POLICY_NONE = 63         /* no cache */
} sdimage_cache_policy;

/* Layers of a cache: a set of bits. */
typedef enum SDIMAGE_ENUM sdimage_cache_layers {
    SDIMAGE_CACHE_LAYERS_NONE = 0,   /* neither */
    SDIMAGE_CACHE_LAYERS_DISK = 1,   /* encoded bytes; for a remote cache the entries on its servers */
    SDIMAGE_CACHE_LAYERS_MEMORY = 2, /* decoded images */
    SDIMAGE_CACHE_LAYERS_ALL = 3     /* both */
} sdimage_cache_layers;

/* Reads that a starting call waits for: a set of bits. */
typedef enum SDIMAGE_ENUM sdimage_blocking_reads {
    SDIMAGE_BLOCKING_READS_NONE = 0,        /* none: the call never waits for the disk */
    SDIMAGE_BLOCKING_READS_MEMORY_DATA = 1, /* the bytes of an image in memory, if the request wants them */
    SDIMAGE_BLOCKING_READS_DISK = 2,        /* the disk look-up of an image that is not in memory */
    SDIMAGE_BLOCKING_READS_ALL = 3          /* both */
} sdimage_blocking_reads;

/* The treatment of cached images that may differ from those of their origin. Only HTTP responses have a freshness
 * lifetime. With every policy, a response with Cache-Control: no-store is stored in memory at most, never on disk; with
 * must-understand beside it, no-store has no effect for the status 200 (RFC 9111, section 5.2.2.3). The response to a
 * request that is sent with no-store or with Range, which the loader or a hook may have added, is not stored on disk,
 * either. */
typedef enum SDIMAGE_ENUM sdimage_freshness {
    /* Uses a cached image, fresh or stale; the default. */
    SDIMAGE_FRESHNESS_IGNORE = 0,
    /* Follows RFC 9111, RFC 5861 and RFC 8246 as a private cache. A fresh image is a hit. A stale one is revalidated
     * with a conditional request: "not modified" returns the cached image. Within stale-while-revalidate the cached
     * image is the result at once and is revalidated in the background. An image that redirects have led to is fresh
     * only while each of them is. A redirect without a lifetime is fresh only if it is permanent (301, 308).
     *
     * If the origin fails (no response, 5xx, 408, 425, 429, a body that is no image), the result is the cached image,
     * stale, with the error beside it. The request to the origin is then not retried, unless the load's request sets
     * retries. The cached image is not used if its response forbids this: no-cache or must-revalidate, which
     * stale-if-error does not lift, or an elapsed stale-if-error. Any other refusal, such as 404, is an error without
     * an image. */
    SDIMAGE_FRESHNESS_RESPECT = 1,
    /* Delivers the cached image as CACHED and revalidates it with a conditional request; FINAL reports whether it has
     * changed. If revalidation fails, FINAL carries the cached image, stale, with the error beside it. A fresh image
     * with the immutable directive is FINAL at once. */
    SDIMAGE_FRESHNESS_REFRESH = 2
} sdimage_freshness;

/* Creates a request for a URL, NUL-terminated. http, https, file and data URLs have built-in loaders. A path is not a
 * URL: see sdimage_request_new_file. Nothing is checked yet: the load reports an invalid URL. NULL when memory is
 * refused. */
SDIMAGE_API sdimage_request *sdimage_request_new(const char *url);
/* Creates a request for a URL of `length` bytes, which need not be NUL-terminated. NULL when memory is refused. */
SDIMAGE_API sdimage_request *sdimage_request_new_bytes(const char *url, size_t length);
/* Creates a request for the file: URL (RFC 8089) of a path, which may be relative to the working directory. NULL when
 * memory is refused. */
SDIMAGE_API sdimage_request *sdimage_request_new_file(const char *path);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_request *sdimage_request_ref(const sdimage_request *request);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_request_unref(sdimage_request *request);

/* Returns an independent copy. NULL when memory is refused. */
SDIMAGE_API sdimage_request *sdimage_request_copy(const sdimage_request *request);

/* Returns the URL and its length in bytes; `length` may be NULL. Borrowed as long as the request lives, unless the URL
 * is replaced; NUL-terminated. */
SDIMAGE_API const char *sdimage_request_url(const sdimage_request *request, size_t *length);

/* Replaces the URL with one of `length` bytes, or SDIMAGE_NUL_TERMINATED. Pointers borrowed from the old URL become
 * invalid. */
SDIMAGE_API void sdimage_request_set_url(sdimage_request *request, const char *url, size_t length);

/* Replaces the URL as the base of the cache key, so that several URLs share one entry. NULL restores the URL. A
 * load with a key that is empty or not UTF-8 fails with INVALID_ARGUMENT. */
SDIMAGE_API void sdimage_request_set_cache_key(sdimage_request *request, const void *key, size_t length);
/* Returns the cache key set and its length in bytes; NULL if the URL is the key. `length` may be NULL. Borrowed
 * until the key is set again or the request is freed. */
SDIMAGE_API const void *sdimage_request_cache_key(const sdimage_request *request, size_t *length);

/* Sets the priority among loads that wait for each other. Default NORMAL. */
SDIMAGE_API void sdimage_request_set_priority(sdimage_request *request, sdimage_priority priority);
/* Returns the priority. */
SDIMAGE_API sdimage_priority sdimage_request_priority(const sdimage_request *request);

/* Sets the sources that the load may use. Default ANY. */
SDIMAGE_API void sdimage_request_set_source_policy(sdimage_request *request, sdimage_source_policy policy);
/* Returns the sources that the load may use. */
SDIMAGE_API sdimage_source_policy sdimage_request_source_policy(const sdimage_request *request);

/* Sets the box in pixels into which the image is decoded; see sdimage_decode_options_set_thumbnail_size. Part of the
 * cache key. */
SDIMAGE_API void sdimage_request_set_thumbnail_size(sdimage_request *request, uint32_t width, uint32_t height,
                                                    sdimage_scale_mode mode);
/* Returns the box of the thumbnail; 0 x 0 for full size. */
SDIMAGE_API sdimage_size sdimage_request_thumbnail_size(const sdimage_request *request);
/* Returns how the thumbnail fits into its box. */
SDIMAGE_API sdimage_scale_mode sdimage_request_thumbnail_mode(const sdimage_request *request);

/* Sets the pixel format of the image; see sdimage_decode_options_set_pixel_format. Part of the cache key. */
SDIMAGE_API void sdimage_request_set_pixel_format(sdimage_request *request, sdimage_pixel_format format);
/* Returns the pixel format set; AUTOMATIC by default. */
SDIMAGE_API sdimage_pixel_format sdimage_request_pixel_format(const sdimage_request *request);

/* Copies all decode options into the request, including the thumbnail size; NULL restores the defaults. The options
 * that change the image are part of the cache key if they are not the defaults: thumbnail size and mode, limit_bytes,
 * first_frame_only, pixel format, apply_orientation, convert_to_srgb, dynamic range with its headroom,
 * transfer_characteristics, keep_gain_map, accept_partial, and a scale that is not that of the name. An image in memory
 * satisfies a load whatever its other options, such as max_pixels and isolation. */
SDIMAGE_API void sdimage_request_set_decode_options(sdimage_request *request, const sdimage_decode_options *options);

/* Returns a copy of the decode options, which the caller must unref, in order to change an option and set them
 * again. */
SDIMAGE_API void sdimage_request_copy_decode_options(const sdimage_request *request, sdimage_decode_options **options);

/* Delivers partial images during the transfer. Default false. When true the load delivers PARTIAL results while bytes
 * arrive. A partial image has the size of the final one (sdimage_decoder_get_image describes missing parts), is
 * transformed like it, and is never stored in a cache.
 *
 * Partial images come from the built-in loaders and from custom ones that write into their sink piece by piece; the
 * length may be unknown. Formats without partial decoding and undecodable bytes deliver none. A PARTIAL that has not
 * been taken yet is replaced by the next one, and dropped when FINAL arrives. Loads that share a transfer receive
 * partial images of their own size, each if it requested them; one that joins later starts with the bytes received by
 * then. Under RESPECT, a response that replaces a stale image delivers partial images, too; FINAL can be the stale
 * image nevertheless, if the transfer fails. Under REFRESH, none follows a CACHED image. */
SDIMAGE_API void sdimage_request_set_progressive(sdimage_request *request, bool progressive);
/* Returns true if partial images are delivered. */
SDIMAGE_API bool sdimage_request_is_progressive(const sdimage_request *request);

/* Sets the minimum interval between PARTIAL results in milliseconds; 0 restores the default of 100. */
SDIMAGE_API void sdimage_request_set_progressive_interval_ms(sdimage_request *request, uint32_t interval_ms);
/* Returns the minimum interval between PARTIAL results in milliseconds. */
SDIMAGE_API uint32_t sdimage_request_progressive_interval_ms(const sdimage_request *request);

/* Enables the early thumbnail of the decode options (sdimage_decode_options_set_early_thumbnail), and ends the transfer
 * as soon as it is complete: after the first scans of a progressive JPEG, or the first pass of an interlaced PNG. The
 * result is FINAL, without data, and stored in memory only, under the key of the thumbnail; the received bytes are
 * discarded. A transfer that another load needs continues. Default false; has no effect without a thumbnail size, and
 * while a cached image is revalidated, when it also prevents partial images. */
SDIMAGE_API void sdimage_request_set_early_thumbnail(sdimage_request *request, bool early);
/* Returns true if an early thumbnail is requested. */
SDIMAGE_API bool sdimage_request_has_early_thumbnail(const sdimage_request *request);

/* Sets how the load uses its caches: a set of exceptions. Default DEFAULT: all layers are read and written.
 *
 * A thumbnail or transformed image is stored on disk under a key of its own, encoded in the background: as PNG if it
 * has an alpha channel or comes from a lossless format, otherwise as JPEG. Animations, images of more than 8 bits,
 * images of file: and data: URLs, and images of requests with their own coder are stored in memory only; so are those
 * in GRAY8, in RGB8 if they are transformed or the original is no JPEG, and without orientation or conversion to sRGB.
 * A thumbnail on disk serves loads in all pixel formats of 8 bits. A transformed image on disk serves AUTOMATIC and
 * formats with alpha, because its transformer may have added an alpha channel. Of an image at full size that is not
 * transformed, the disk holds the original.
 *
 * The bits for originals concern images that are derived from one: thumbnails, transformed images, and other pixel
 * formats. If the original is the image itself, they have no effect. An image is not derived from an original in memory
 * if the options request pixels as stored, or the request has a freshness policy other than IGNORE or a coder. */
SDIMAGE_API void sdimage_request_set_cache_policy(sdimage_request *request, sdimage_cache_policy policy);
/* Returns the use of the cache. */
SDIMAGE_API sdimage_cache_policy sdimage_request_cache_policy(const sdimage_request *request);

/* Sets the options for encoding images for the disk; copied. NULL, the default: quality 0.9 for thumbnails and
 * transformed images, and full quality for images whose original bytes the loader does not deliver. */
SDIMAGE_API void sdimage_request_set_encode_options(sdimage_request *request, const sdimage_encode_options *options);
/* Returns a copy of the encode options, which the caller must unref. If none were set, it has full quality: setting it
 * stores thumbnails with that. */
SDIMAGE_API void sdimage_request_copy_encode_options(const sdimage_request *request, sdimage_encode_options **options);

/* Sets the format of thumbnails and transformed images on disk. UNKNOWN, the default: JPEG or PNG, see
 * sdimage_request_set_cache_policy. BMP is read several times as fast as JPEG and needs five to seven times the space.
 * Images with an alpha channel are stored as PNG in place of JPEG, BMP and GIF. An image that cannot be encoded in the
 * format is not stored. An entry that exists is used in the format that it has: prefetch with the same format, and
 * empty the cache to change it. */
SDIMAGE_API void sdimage_request_set_encode_format(sdimage_request *request, sdimage_format format);
/* Returns the format of thumbnails and transformed images on disk. */
SDIMAGE_API sdimage_format sdimage_request_encode_format(const sdimage_request *request);

/* Adds the encoded bytes to the result of a memory hit. They are read from the disk (NULL when missing there), and the
 * image is delivered after this. Default false: sdimage_result_data is NULL for a memory hit. */
SDIMAGE_API void sdimage_request_set_include_data(sdimage_request *request, bool include);
/* Returns true if the encoded bytes are part of the result of a memory hit. */
SDIMAGE_API bool sdimage_request_should_include_data(const sdimage_request *request);

/* Sets the disk reads, including their decoding, for which the starting call blocks. It waits for no other part of the
 * load. Has no effect on a thread of the library. Default NONE. */
SDIMAGE_API void sdimage_request_set_blocking_reads(sdimage_request *request, sdimage_blocking_reads reads);
/* Returns the disk reads for which the starting call blocks. */
SDIMAGE_API sdimage_blocking_reads sdimage_request_blocking_reads(const sdimage_request *request);

/* Delivers the result only after the disk cache has committed, or failed to: sdimage_cache_check returns the reason.
 * Default false. */
SDIMAGE_API void sdimage_request_set_wait_for_store(sdimage_request *request, bool wait);
/* Returns true if the result waits for the disk cache. */
SDIMAGE_API bool sdimage_request_should_wait_for_store(const sdimage_request *request);

/* Loads a URL even if it failed permanently a moment ago. Default false. */
SDIMAGE_API void sdimage_request_set_retry_failed(sdimage_request *request, bool retry);
/* Returns true if a URL that failed a moment ago is loaded again. */
SDIMAGE_API bool sdimage_request_should_retry_failed(const sdimage_request *request);

/* Sets the freshness policy. Default: that of the manager. Entries stored by loads without a policy carry their
 * validators, so the first load with one can already send a conditional request. A failing load never removes a cached
 * entry. Caches of the host without `store_entry` store bytes only: without an image in memory, their entries are
 * always loaded again. */
SDIMAGE_API void sdimage_request_set_freshness(sdimage_request *request, sdimage_freshness freshness);
/* Returns the freshness policy set; IGNORE if none is. */
SDIMAGE_API sdimage_freshness sdimage_request_freshness(const sdimage_request *request);
/* Returns true if the request sets a freshness policy. */
SDIMAGE_API bool sdimage_request_has_freshness(const sdimage_request *request);
/* Restores the freshness policy of the manager. */
SDIMAGE_API void sdimage_request_reset_freshness(sdimage_request *request);

/* Sets a header field of the HTTP request, in place of that of the downloader. NULL: the field is not sent, even if the
 * downloader has a default for it, such as Accept. The load fails with INVALID_REQUEST if the name is no token (RFC
 * 9110, section 5.6.2), the value has a line break, or the field is Host (omitted), Content-Length or
 * Transfer-Encoding. Loads with different fields never share a transfer. */
SDIMAGE_API void sdimage_request_set_header(sdimage_request *request, const char *name, const char *value);
/* Returns true if the request sets or omits a header field. */
SDIMAGE_API bool sdimage_request_has_header(const sdimage_request *request, const char *name);
/* Restores the header field of the downloader, the default. */
SDIMAGE_API void sdimage_request_reset_header(sdimage_request *request, const char *name);

/* Returns the value of a header field of the request; NULL if it is omitted or not set. Borrowed until the field
 * changes or the request is freed. */
SDIMAGE_API const char *sdimage_request_header(const sdimage_request *request, const char *name);

/* Returns the name of header field number `index` of the request, in their order; NULL beyond the last. *value, if
 * `value` is not NULL, receives its value. Borrowed until fields change or the request is freed. */
SDIMAGE_API const char *sdimage_request_header_at(const sdimage_request *request, size_t index, const char **value);

/* Sets the method of the HTTP request, such as "POST"; NULL, the default, is GET. CONNECT, HEAD, TRACE and methods
 * that are no token (RFC 9110, section 5.6.2) make the load fail with INVALID_REQUEST. The cache key does not depend on
 * method and body: set a cache key if the URL alone does not identify the image.
 *
 * Loads with methods other than GET share no transfer, send no conditional requests, and never resume an interrupted
 * transfer. Only those with an idempotent method are retried (RFC 9110, section 9.2.2). A redirect with status 303, or
 * with 301 or 302 after POST, continues with GET and without the body (section 15.4). */
SDIMAGE_API void sdimage_request_set_method(sdimage_request *request, const char *method);
/* Returns the method; "GET" when none was set. Borrowed until it is set again or the request is freed. */
SDIMAGE_API const char *sdimage_request_method(const sdimage_request *request);

/* Sets the body of the request, referenced; NULL, the default: none. The caller sets its media type as a header field.
 * With GET the load fails with INVALID_REQUEST. The body is never sent to an origin other than that of the URL: a
 * redirect that would do so fails with REDIRECT_FORBIDDEN. */
SDIMAGE_API void sdimage_request_set_body(sdimage_request *request, sdimage_data *body);
/* Returns the body; NULL when there is none. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_request_body(const sdimage_request *request);

/* Sets the milliseconds for the whole transfer, including redirects and retries, in place of both the total time-out of
 * the downloader and that without a byte: a silent server is given up after this time, too. 0, the default: those of
 * the downloader. */
SDIMAGE_API void sdimage_request_set_timeout_ms(sdimage_request *request, uint32_t timeout_ms);
/* Returns the milliseconds for the whole transfer; 0 for the limit of the downloader. */
SDIMAGE_API uint32_t sdimage_request_timeout_ms(const sdimage_request *request);

/* Sets the number of retries after a transient failure, in place of that of the downloader. */
SDIMAGE_API void sdimage_request_set_max_retries(sdimage_request *request, uint32_t count);
/* Returns the number of retries set; 0 if none is. */
SDIMAGE_API uint32_t sdimage_request_max_retries(const sdimage_request *request);
/* Returns true if the request sets a number of retries. */
SDIMAGE_API bool sdimage_request_has_max_retries(const sdimage_request *request);
/* Restores the number of retries of the downloader. */
SDIMAGE_API void sdimage_request_reset_max_retries(sdimage_request *request);

/* Sends and stores cookies, in a jar that the downloader holds in memory. Default false: cookies are neither sent nor
 * stored. Transfers without certificate verification have a separate jar: no cookies pass between it and the other. A
 * jar of more than 1 MiB is emptied, which the log reports. Once a downloader has received a cookie, cached responses
 * with Vary: Cookie are revalidated unless freshness is ignored. */
SDIMAGE_API void sdimage_request_set_handle_cookies(sdimage_request *request, bool handle);
/* Returns true if cookies are sent and stored. */
SDIMAGE_API bool sdimage_request_should_handle_cookies(const sdimage_request *request);

/* Accepts servers whose certificate has expired, is for another host, or is issued by an unknown authority. Default
 * false. The response is stored in no cache and given to no other load. */
SDIMAGE_API void sdimage_request_set_accept_invalid_certificates(sdimage_request *request, bool accept);
/* Returns true if invalid certificates are accepted. */
SDIMAGE_API bool sdimage_request_should_accept_invalid_certificates(const sdimage_request *request);

/* Sets the largest accepted body in decoded bytes; 0, the default, is the limit of the downloader, and 64 MiB for
 * file: and data: URLs and what a custom loader writes. */
SDIMAGE_API void sdimage_request_set_max_body_bytes(sdimage_request *request, size_t bytes);
/* Returns the largest accepted body; 0 for the limit of the downloader. */
SDIMAGE_API size_t sdimage_request_max_body_bytes(const sdimage_request *request);

/* Sets the dispatcher of this load, in place of that of the manager. NULL is the library's callback thread. */
SDIMAGE_API void sdimage_request_set_dispatcher(sdimage_request *request, sdimage_dispatcher *dispatcher);
/* Returns true if the request sets a dispatcher. The caller owns *dispatcher; NULL for the library's callback
 * thread, or if none is set. */
SDIMAGE_API bool sdimage_request_get_dispatcher(const sdimage_request *request, sdimage_dispatcher **dispatcher);
/* Restores the dispatcher of the manager. */
SDIMAGE_API void sdimage_request_reset_dispatcher(sdimage_request *request);

/* Sets the cache of this load, in place of that of the manager. NULL disables caching. */
SDIMAGE_API void sdimage_request_set_cache(sdimage_request *request, sdimage_cache *cache);
/* Returns true if the request sets a cache. The caller owns *cache; NULL if caching is disabled, or if none is
 * set. */
SDIMAGE_API bool sdimage_request_get_cache(const sdimage_request *request, sdimage_cache **cache);
/* Restores the cache of the manager. */
SDIMAGE_API void sdimage_request_reset_cache(sdimage_request *request);

/* Sets the loader of this load, in place of that of the manager. NULL makes the load behave as CACHE_ONLY. */
SDIMAGE_API void sdimage_request_set_loader(sdimage_request *request, sdimage_loader *loader);
/* Returns true if the request sets a loader. The caller owns *loader; NULL if loading is disabled, or if none is
 * set. */
SDIMAGE_API bool sdimage_request_get_loader(const sdimage_request *request, sdimage_loader **loader);
/* Restores the loader of the manager. */
SDIMAGE_API void sdimage_request_reset_loader(sdimage_request *request);

/* Sets the coder of this load, in place of the registered ones. NULL, the default: the registered ones. */
SDIMAGE_API void sdimage_request_set_coder(sdimage_request *request, sdimage_coder *coder);
/* Returns the coder set; the caller owns *coder. NULL for the registered ones. */
SDIMAGE_API void sdimage_request_get_coder(const sdimage_request *request, sdimage_coder **coder);

/* Sets another cache for the originals from which images are derived, for the bits for originals above. NULL: none.
 * Default: the cache of the images. */
SDIMAGE_API void sdimage_request_set_original_cache(sdimage_request *request, sdimage_cache *cache);
/* Returns true if the request sets a cache for originals. The caller owns *cache; NULL if originals are not cached,
 * or if none is set. */
SDIMAGE_API bool sdimage_request_get_original_cache(const sdimage_request *request, sdimage_cache **cache);
/* Restores the cache of the images for originals. */
SDIMAGE_API void sdimage_request_reset_original_cache(sdimage_request *request);

/* Sets the transformer of the decoded image. Its key becomes part of the cache key, before the extension. NULL:
 * none, even if the manager has one. If the transformer fails, the image is delivered untransformed and is not stored
 * under that key: sdimage_image_is_transformed reports this. After NO_MEMORY the load fails. */
SDIMAGE_API void sdimage_request_set_transformer(sdimage_request *request, sdimage_transformer *transformer);
/* Returns true if the request sets a transformer. The caller owns *transformer; NULL if images are not transformed,
 * or if none is set. Several transformers are one pipeline. */
SDIMAGE_API bool sdimage_request_get_transformer(const sdimage_request *request, sdimage_transformer **transformer);
/* Appends a transformer to those of the request. */
SDIMAGE_API void sdimage_request_add_transformer(sdimage_request *request, sdimage_transformer *transformer);
/* Restores the transformer of the manager, the default. */
SDIMAGE_API void sdimage_request_reset_transformer(sdimage_request *request);

/* Applies the transformer to animations: every frame is transformed when it is needed. Default false: an animation
 * is delivered untransformed. Part of the cache key if there is a transformer. */
SDIMAGE_API void sdimage_request_set_transform_animated(sdimage_request *request, bool transform);
/* Returns true if animations are transformed. */
SDIMAGE_API bool sdimage_request_should_transform_animated(const sdimage_request *request);

/* Applies the transformer to vector images, at the size at which they were drawn. Default false: a vector image is
 * delivered untransformed. Part of the cache key if there is a transformer. */
SDIMAGE_API void sdimage_request_set_transform_vector(sdimage_request *request, bool transform);
/* Returns true if vector images are transformed. */
SDIMAGE_API bool sdimage_request_should_transform_vector(const sdimage_request *request);

/* Decodes all frames in advance. Default false. When true an animation is delivered with all its frames decoded and
 * held, and each counts in its memory cost. An animation whose frames exceed the limit of
 * sdimage_decode_options_set_max_bytes is delivered without this; one that is found in memory is delivered as it is
 * there. */
SDIMAGE_API void sdimage_request_set_preload_frames(sdimage_request *request, bool preload);
/* Returns true if all frames are decoded in advance. */
SDIMAGE_API bool sdimage_request_should_preload_frames(const sdimage_request *request);

/* Accepts animations only. Default false. When true a still image fails with UNSUPPORTED, and one in memory is not a
 * hit. */
SDIMAGE_API void sdimage_request_set_require_animation(sdimage_request *request, bool require);
/* Returns true if only animations are accepted. */
SDIMAGE_API bool sdimage_request_should_require_animation(const sdimage_request *request);

/* Sets values for hooks, custom loaders, coders and caches; copied. NULL removes all values. */
SDIMAGE_API void sdimage_request_set_options(sdimage_request *request, const sdimage_options *options);
/* Returns those values; NULL when there are none. Borrowed until they are set again or the request is freed. */
SDIMAGE_API const sdimage_options *sdimage_request_options(const sdimage_request *request);

/* Percent-encodes a text for one component of a URL, such as a segment of the path or a value of the query: all bytes
 * except unreserved characters (RFC 3986, sections 2.1 and 2.3). `length` bytes, or SDIMAGE_NUL_TERMINATED. *escaped
 * ends with a NUL that its length does not count; the caller owns it. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_url_escape(const char *text, size_t length, sdimage_data **escaped,
                                              sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
