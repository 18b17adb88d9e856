/* request.h: one wish for a picture: where from, in which form, through which layers.
 *
 * Setters cannot fail: a value that makes no sense is reported by the load. For objects, NULL means "explicitly none"
 * and `_reset_` goes back to what the manager has. Class: single-owner; a load copies the request, which may then be
 * changed and used again.
 *
 * For readers who know SDWebImage: every option bit and context key, and what it is here. UNSUPPORTED: not here, and
 * why.
 *
 *   RetryFailed                          sdimage_request_set_retry_failed
 *   LowPriority, HighPriority            sdimage_request_set_priority: one choice, so HIGH wins by being it
 *   ProgressiveLoad                      sdimage_request_set_progressive
 *   RefreshCached                        sdimage_request_set_freshness with REFRESH
 *   ContinueInBackground                 always so: nothing suspends a transfer
 *   HandleCookies                        sdimage_request_set_handle_cookies
 *   AllowInvalidSSLCertificates          sdimage_request_set_accept_invalid_certificates
 *   DelayPlaceholder                     sdimage_target_options_set_placeholder_time with ON_FAILURE (target.h)
 *   AvoidAutoSetImage, AvoidAutoCancelImage   sdimage_target_options_set_image_setting, _set_previous_load
 *   ForceTransition, WaitTransition      sdimage_target_options_set_transition_rule, _set_wait_for_transition
 *   TransformAnimatedImage, TransformVectorImage   sdimage_request_set_transform_animated, _set_transform_vector
 *   ScaleDownLargeImages                 sdimage_decode_options_set_limit_bytes with sdimage_default_limit_bytes
 *   QueryMemoryData                      sdimage_request_set_wants_data
 *   QueryMemoryDataSync, QueryDiskDataSync   sdimage_request_set_blocking_reads
 *   FromCacheOnly, FromLoaderOnly        sdimage_request_set_source_policy
 *   AvoidDecodeImage                     see imageForceDecodePolicy
 *   DecodeFirstFrameOnly                 sdimage_decode_options_set_first_frame_only
 *   PreloadAllFrames                     sdimage_request_set_preload_frames
 *   MatchAnimatedImageClass              sdimage_request_set_require_animation
 *   WaitStoreCache                       sdimage_request_set_wait_for_store
 *
 *   setImageOperationKey, customManager  sdimage_target_options_set_key, _set_manager
 *   callbackQueue                        sdimage_request_set_dispatcher; its policies: SafeExecute is a host-posted
 *                                        dispatcher with `is_current`, Dispatch one without, Invoke the immediate one,
 *                                        SafeAsyncMainThread a pollable one with its thread bound
 *   imageCache, imageLoader, imageCoder  sdimage_request_set_cache, _set_loader, _set_coder
 *   imageTransformer                     sdimage_request_set_transformer; NULL is the explicit null
 *   imageForceDecodePolicy               pictures are always decoded; Never is
 *                                        sdimage_decode_options_set_apply_orientation and _set_convert_to_srgb with false
 *   imageDecodeOptions                   sdimage_request_set_decode_options
 *   imageScaleFactor                     sdimage_decode_options_set_scale
 *   imagePreserveAspectRatio, imageThumbnailPixelSize   sdimage_request_set_thumbnail_size
 *   imageTypeIdentifierHint              sdimage_decode_options_set_format_hint; the extension of a URL is never a hint
 *   imageScaleDownLimitBytes             sdimage_decode_options_set_limit_bytes
 *   imageDecodeToHDR                     sdimage_decode_options_set_pixel_format with RGBA_FLOAT
 *   imageEncodeOptions                   sdimage_request_set_encode_options
 *   queryCacheType, storeCacheType       sdimage_request_set_query_layers, _set_store_layers
 *   originalQueryCacheType, originalStoreCacheType   sdimage_request_set_original_query_layers, _set_original_store_layers
 *   originalImageCache                   sdimage_request_set_original_cache
 *   animatedImageClass                   every animation has its frames, made when needed (image.h); a class of one's own is
 *                                        a coder (coder.h)
 *   downloadRequestModifier, downloadResponseModifier, downloadDecryptor   sdimage_request_set_hooks (hooks.h)
 *   cacheKeyFilter, cacheSerializer      sdimage_request_set_load_hooks (load_hooks.h); one key for one request is
 *                                        sdimage_request_set_cache_key
 *   loaderCachedImage                    UNSUPPORTED: conditions and "not modified" are the library's affair
 *   photosFetchOptions, photosImageRequestOptions   sdimage_photos_set_fetch_options, _set_request_options on the values of
 *                                        sdimage_request_set_options (plugins/photos_loader.h)
 *   photosRequestImageData               SDIMAGE_PHOTOS_REQUEST_DATA among those values
 *   linkMetadata, linkRequestImageData   UNSUPPORTED: pages are not looked into for pictures
 *   prefersBitmap, svgImageSize, svgPreserveAspectRatio   UNSUPPORTED: superseded by the thumbnail size
 *   any other key                        sdimage_request_set_options
 *
 * Options of cache queries have the names of those above; so have those of downloads, and further UseNSURLCache:
 * sdimage_request_set_freshness with RESPECT; IgnoreCachedResponse: REFRESH, and sdimage_result_is_changed. */
#ifndef SDIMAGE_REQUEST_H
#define SDIMAGE_REQUEST_H

#include "base.h"
#include "coder.h"
#include "options.h"
#include "transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who goes first where loads wait for each other. */
typedef enum SDIMAGE_ENUM sdimage_priority {
    SDIMAGE_PRIORITY_LOW = -1,   /* nobody waits: prefetching */
    SDIMAGE_PRIORITY_NORMAL = 0, /* somebody waits */
    SDIMAGE_PRIORITY_HIGH = 1    /* before everything that waits */
} sdimage_priority;

/* Whether caches and loader may be asked. */
typedef enum SDIMAGE_ENUM sdimage_source_policy {
    SDIMAGE_SOURCE_POLICY_ANY = 0,        /* caches, then the loader */
    SDIMAGE_SOURCE_POLICY_CACHE_ONLY = 1, /* never the loader; not finding anything is no error */
    SDIMAGE_SOURCE_POLICY_LOADER_ONLY = 2 /* never query a cache; what was loaded is still stored */
} sdimage_source_policy;

/* Layers of a cache: a set of bits. */
typedef enum SDIMAGE_ENUM sdimage_cache_layers {
    SDIMAGE_CACHE_LAYERS_NONE = 0,   /* neither */
    SDIMAGE_CACHE_LAYERS_DISK = 1,   /* encoded bytes; of a remote cache what its servers have */
    SDIMAGE_CACHE_LAYERS_MEMORY = 2, /* decoded pictures */
    SDIMAGE_CACHE_LAYERS_ALL = 3     /* both */
} sdimage_cache_layers;

/* Reads that a starting call waits for: a set of bits. */
typedef enum SDIMAGE_ENUM sdimage_blocking_reads {
    SDIMAGE_BLOCKING_READS_NONE = 0,        /* none: the call never waits for the disk */
    SDIMAGE_BLOCKING_READS_MEMORY_DATA = 1, /* the bytes of a picture in memory, where the request wants them */
    SDIMAGE_BLOCKING_READS_DISK = 2,        /* the look-up on disk of a picture that is not in memory */
    SDIMAGE_BLOCKING_READS_ALL = 3          /* both */
} sdimage_blocking_reads;

/* How much a load cares whether a cached picture is still that of its origin. Only answers over HTTP say how long they
 * are fresh. Whatever is chosen here, one with Cache-Control: no-store is kept in memory at most, never on disk. */
typedef enum SDIMAGE_ENUM sdimage_freshness {
    /* What is cached is good. */
    SDIMAGE_FRESHNESS_IGNORE = 0,
    /* As RFC 9111, RFC 5861 and RFC 8246 say for the cache of one person. A fresh picture is a hit. A stale one is
     * asked for under conditions: "not modified" gives the cached picture; within stale-while-revalidate it is the
     * result at once and is renewed in the background. Where the origin fails (no answer, 5xx, 408, 425, 429, no
     * picture), the result is the cached picture, stale, with the error beside it, without a second try that the
     * request does not ask for, unless the answer forbade that: no-cache, must-revalidate, or a stale-if-error that is
     * over. Any other refusal, as 404, is an error without a picture. */
    SDIMAGE_FRESHNESS_RESPECT = 1,
    /* The cached picture is delivered as CACHED and asked for under conditions; the FINAL says whether it has changed.
     * When that fails, FINAL carries the cached picture, stale, with the error beside it. A fresh picture that its
     * origin called immutable is FINAL at once. */
    SDIMAGE_FRESHNESS_REFRESH = 2
} sdimage_freshness;

/* A request for a URL of `length` bytes, or SDIMAGE_NUL_TERMINATED. http, https, file and data URLs have built-in
 * loaders. Nothing is checked yet: a bad URL is reported by the load. NULL when memory is refused. */
SDIMAGE_API sdimage_request *sdimage_request_new(const char *url, size_t length);
SDIMAGE_API sdimage_request *sdimage_request_ref(sdimage_request *request);
SDIMAGE_API void sdimage_request_unref(sdimage_request *request);

/* An independent copy. NULL when memory is refused. */
SDIMAGE_API sdimage_request *sdimage_request_copy(const sdimage_request *request);

/* The URL and its length in bytes; `length` may be NULL. Borrowed as long as the request lives; NUL-terminated. */
SDIMAGE_API const char *sdimage_request_url(const sdimage_request *request, size_t *length);

/* Another URL, of `length` bytes or SDIMAGE_NUL_TERMINATED. What was borrowed of the old one ends. */
SDIMAGE_API void sdimage_request_set_url(sdimage_request *request, const char *url, size_t length);

/* Replaces the URL as base of the cache key, so that several URLs share one entry. Any bytes; NULL goes back to the
 * URL. */
SDIMAGE_API void sdimage_request_set_cache_key(sdimage_request *request, const void *key, size_t length);

/* Who goes first. Default NORMAL. */
SDIMAGE_API void sdimage_request_set_priority(sdimage_request *request, sdimage_priority priority);

/* Whether caches and the loader may be asked. Default ANY. */
SDIMAGE_API void sdimage_request_set_source_policy(sdimage_request *request, sdimage_source_policy policy);

/* Decodes into a box of pixels; see sdimage_decode_options_set_thumbnail_size. Part of the cache key. */
SDIMAGE_API void sdimage_request_set_thumbnail_size(sdimage_request *request, uint32_t width, uint32_t height,
                                                    bool preserve_aspect_ratio);
SDIMAGE_API void sdimage_request_set_thumbnail_mode(sdimage_request *request, sdimage_scale_mode mode);

/* Copies all decode options into the request, the thumbnail size included; NULL restores the defaults. Of them the
 * thumbnail size, the first frame alone, the pixel format and the choices of orientation and colour are part of the
 * cache key. */
SDIMAGE_API void sdimage_request_set_decode_options(sdimage_request *request, const sdimage_decode_options *options);

/* A copy of them, the caller's to unref: to change one and set it again. */
SDIMAGE_API void sdimage_request_copy_decode_options(const sdimage_request *request, sdimage_decode_options **options);

/* Shows the picture as it comes. Default false. When true the load delivers PARTIAL results while bytes arrive: what
 * can be shown of the picture so far, at the size of the final one (sdimage_decoder_copy_image says what is missing),
 * transformed like it, and never kept in a cache. From the built-in loaders and from custom ones that write into their
 * sink piece by piece; whether the length is known does not matter. Formats that cannot show a part deliver none, nor
 * do bytes that cannot be decoded. A PARTIAL that was not taken yet is replaced by the next one, and dropped when FINAL
 * comes. Loads that share a transfer get parts of their own size, each if it asked; one that joins later begins with
 * what has come by then. */
SDIMAGE_API void sdimage_request_set_progressive(sdimage_request *request, bool progressive);

/* Milliseconds from one PARTIAL to the next, at least; 0 restores the default of 100. */
SDIMAGE_API void sdimage_request_set_progressive_interval_ms(sdimage_request *request, uint32_t interval_ms);

/* sdimage_decode_options_set_early_thumbnail, and the transfer too ends as soon as the thumbnail is good: the first
 * scans of a progressive JPEG, the first pass of an interlaced PNG. Its result is FINAL, without data, and kept in
 * memory only, under the thumbnail's key; the bytes that came are not kept. A transfer that another load needs goes on.
 * Default false; without a thumbnail size it does nothing. */
SDIMAGE_API void sdimage_request_set_early_thumbnail(sdimage_request *request, bool early);

/* Which layers are asked for the picture, and which keep it. Default ALL and ALL. A thumbnail, or a picture that a
 * transformer made, is kept on disk under a key of its own, encoded in the background: as PNG when it has an alpha
 * channel or came from a format without loss, as JPEG otherwise. Animations, pictures of more than 8 bits, of file: and
 * data: URLs and those with a coder of the request's own are kept in memory only, and of a picture in another pixel
 * format the disk keeps the original. Of the encoded original there is more below. */
SDIMAGE_API void sdimage_request_set_query_layers(sdimage_request *request, sdimage_cache_layers layers);
SDIMAGE_API void sdimage_request_set_store_layers(sdimage_request *request, sdimage_cache_layers layers);

/* The same for the original, where the picture is made from it: a thumbnail, a transformed picture, or another pixel
 * format. Default DISK and DISK: its encoded bytes. With MEMORY the picture is also made of an original that is kept in
 * memory, unless pixels are wanted as they are stored, or the request has a freshness or a coder; and an original that
 * was decoded only to be transformed is kept there, a thumbnail's never. Where the original is the picture, the setters
 * above rule alone. What a file: or data: URL brought is kept in memory, never on disk. */
SDIMAGE_API void sdimage_request_set_original_query_layers(sdimage_request *request, sdimage_cache_layers layers);
SDIMAGE_API void sdimage_request_set_original_store_layers(sdimage_request *request, sdimage_cache_layers layers);

/* How a thumbnail or transformed picture is encoded for the disk; copied. NULL, the default: full quality. */
SDIMAGE_API void sdimage_request_set_encode_options(sdimage_request *request, const sdimage_encode_options *options);

/* Brings the encoded bytes of a picture found in memory too, read from the disk (NULL when they are not there): it is
 * delivered when they have come. Default false: sdimage_result_data is NULL for a memory hit. */
SDIMAGE_API void sdimage_request_set_wants_data(sdimage_request *request, bool wants_data);

/* What is read from the disk, and decoded, inside the starting call, which then blocks. Nothing else of the load is
 * waited for. On a thread of the library this does nothing. Default NONE. */
SDIMAGE_API void sdimage_request_set_blocking_reads(sdimage_request *request, sdimage_blocking_reads reads);

/* Deliver only after the disk cache has committed. Default false. */
SDIMAGE_API void sdimage_request_set_wait_for_store(sdimage_request *request, bool wait);

/* Load a URL that failed for good a moment ago all the same. Default false. */
SDIMAGE_API void sdimage_request_set_retry_failed(sdimage_request *request, bool retry);

/* How much the load cares for freshness. Default: the manager's. The first load of this kind can already ask under
 * conditions: what plain loads store carries its validators. A failing load never removes what is cached. Caches of the
 * host keep bytes only: without a picture in memory theirs are asked for anew. */
SDIMAGE_API void sdimage_request_set_freshness(sdimage_request *request, sdimage_freshness freshness);
SDIMAGE_API void sdimage_request_reset_freshness(sdimage_request *request);

/* A header field of the HTTP request, replacing one of the same name; a NULL value removes it. A name or value with a
 * line break makes the load fail with INVALID_REQUEST. Loads with different fields never share a transfer. */
SDIMAGE_API void sdimage_request_set_header(sdimage_request *request, const char *name, const char *value);

/* The value of a header field that the request sets; NULL when there is none. Borrowed until the field is asked for
 * again or the request is freed. */
SDIMAGE_API const char *sdimage_request_header(sdimage_request *request, const char *name);

/* The header fields that the request sets, in their order: the name of one, NULL behind the last, and in *value, which
 * may be NULL, what it says. Borrowed until fields are asked for again or the request is freed. */
SDIMAGE_API const char *sdimage_request_header_at(sdimage_request *request, size_t index, const char **value);

/* The method of the HTTP request, e.g. "POST"; NULL, the default, is GET. A method that is no token (RFC 9110, section
 * 5.6.2), CONNECT and TRACE make the load fail with INVALID_REQUEST. The cache key does not depend on method and body:
 * give such a request a key of its own where the URL alone does not name the picture. Loads that are not GET share no
 * transfer, ask under no conditions, and never go on where a transfer broke off; only those whose method is idempotent
 * are tried again (RFC 9110, section 9.2.2). A redirect with status 303, or 301 and 302 after POST, goes on with GET
 * and without the body (section 15.4). */
SDIMAGE_API void sdimage_request_set_method(sdimage_request *request, const char *method);
/* The method; "GET" when none was set. Borrowed until it is set again or the request is freed. */
SDIMAGE_API const char *sdimage_request_method(const sdimage_request *request);

/* The content of the request, referenced; NULL, the default: none. Its media type is a header field, which you set.
 * With GET the load fails with INVALID_REQUEST. It is never sent to another origin than the URL's: a redirect that
 * would do so is REDIRECT_FORBIDDEN. */
SDIMAGE_API void sdimage_request_set_body(sdimage_request *request, sdimage_data *body);
/* The content; NULL when there is none. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_request_body(const sdimage_request *request);

/* Milliseconds for the whole transfer, redirects and retries included; 0, the default, is the downloader's own
   limit. */
SDIMAGE_API void sdimage_request_set_timeout_ms(sdimage_request *request, uint32_t timeout_ms);

/* Further tries after a transient failure, in place of the downloader's; reset: the downloader's. */
SDIMAGE_API void sdimage_request_set_max_retries(sdimage_request *request, uint32_t count);
SDIMAGE_API void sdimage_request_reset_max_retries(sdimage_request *request);

/* Sends and stores cookies, in a jar that the downloader has in memory. Default false: none is sent or stored.
 * Transfers whose certificate is not verified have a jar of their own: they are sent no cookie of the others, and set
 * none for them. */
SDIMAGE_API void sdimage_request_set_handle_cookies(sdimage_request *request, bool handle);

/* Loads from servers with certificates that expired, are for another host, or that nobody vouches for. Default false.
 * No cache keeps what comes, and no other load is given it. */
SDIMAGE_API void sdimage_request_set_accept_invalid_certificates(sdimage_request *request, bool accept);

/* Largest body in decoded bytes; 0, the default, is the downloader's own limit. */
SDIMAGE_API void sdimage_request_set_max_body_bytes(sdimage_request *request, size_t bytes);

/* Where this load delivers, which cache it uses, who loads and who decodes, in place of the manager's. NULL for the
 * dispatcher is the library's callback thread, for the cache none, for the coder the registered ones; a NULL loader
 * makes the load behave as CACHE_ONLY. */
SDIMAGE_API void sdimage_request_set_dispatcher(sdimage_request *request, sdimage_dispatcher *dispatcher);
SDIMAGE_API void sdimage_request_reset_dispatcher(sdimage_request *request);
SDIMAGE_API void sdimage_request_set_cache(sdimage_request *request, sdimage_cache *cache);
SDIMAGE_API void sdimage_request_reset_cache(sdimage_request *request);
SDIMAGE_API void sdimage_request_set_loader(sdimage_request *request, sdimage_loader *loader);
SDIMAGE_API void sdimage_request_reset_loader(sdimage_request *request);
SDIMAGE_API void sdimage_request_set_coder(sdimage_request *request, sdimage_coder *coder);

/* Another cache for originals, of which the picture itself is made: the layers above are asked and kept there. NULL:
 * none. Default, and after reset: that of the pictures. */
SDIMAGE_API void sdimage_request_set_original_cache(sdimage_request *request, sdimage_cache *cache);
SDIMAGE_API void sdimage_request_reset_original_cache(sdimage_request *request);

/* Changes the decoded picture; its key becomes part of the cache key, before the extension. NULL: none, whatever the
 * manager has; reset: the manager's. `_add_` puts one more behind those that the request has. Default: the manager's.
 * Where it fails the picture is delivered as it was, and not kept under that key: sdimage_image_is_transformed
 * tells. */
SDIMAGE_API void sdimage_request_set_transformer(sdimage_request *request, sdimage_transformer *transformer);
SDIMAGE_API void sdimage_request_add_transformer(sdimage_request *request, sdimage_transformer *transformer);
SDIMAGE_API void sdimage_request_reset_transformer(sdimage_request *request);

/* Whether what moves, or is drawn from shapes, is transformed. Default false both: an animation, or a picture drawn
 * from shapes, is delivered as it is, without the transformer. When true every frame is transformed, each when it is
 * needed; and a vector picture at the size that it was drawn at. */
SDIMAGE_API void sdimage_request_set_transform_animated(sdimage_request *request, bool transform);
SDIMAGE_API void sdimage_request_set_transform_vector(sdimage_request *request, bool transform);

/* Decodes all frames ahead. Default false. When true an animation is delivered with all its frames decoded and held:
 * each counts in its memory cost. It stays as it is where they would take more than the limit of
 * sdimage_decode_options_set_max_bytes. */
SDIMAGE_API void sdimage_request_set_preload_frames(sdimage_request *request, bool preload);

/* Takes animations only. Default false. When true a picture that does not move is the error UNSUPPORTED, and one in
 * memory is no hit. */
SDIMAGE_API void sdimage_request_set_require_animation(sdimage_request *request, bool require);

/* Values for hooks, custom loaders, coders and caches; copied. NULL empties them. */
SDIMAGE_API void sdimage_request_set_options(sdimage_request *request, const sdimage_options *options);
/* Those values; NULL when there are none. Borrowed until they are set again or the request is freed. */
SDIMAGE_API const sdimage_options *sdimage_request_options(const sdimage_request *request);

#ifdef __cplusplus
}
#endif

#endif
