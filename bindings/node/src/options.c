/* options.c: converts plain objects to options of the library. index.js has checked names and types. Missing properties
 * leave the defaults. */
#include <stdlib.h>

#include "binding.h"

sdimage_decode_options *decode_options_of(napi_env env, napi_value object) {
    sdimage_decode_options *options = sdimage_decode_options_new();
    double width = 0, height = 0, value;
    bool flag;
    if (has_number(env, object, "thumbnailWidth", &width) && has_number(env, object, "thumbnailHeight", &height)) {
        double mode = SDIMAGE_SCALE_MODE_ASPECT_FIT;
        has_number(env, object, "thumbnailMode", &mode);
        sdimage_decode_options_set_thumbnail_size(options, (uint32_t)width, (uint32_t)height, (sdimage_scale_mode)mode);
    }
    if (has_number(env, object, "pixelFormat", &value))
        sdimage_decode_options_set_pixel_format(options, (sdimage_pixel_format)value);
    if (has_number(env, object, "dynamicRange", &value))
        sdimage_decode_options_set_dynamic_range(options, (sdimage_dynamic_range)value);
    if (has_number(env, object, "displayHeadroom", &value))
        sdimage_decode_options_set_display_headroom(options, value);
    if (has_bool(env, object, "keepGainMap", &flag))
        sdimage_decode_options_set_keep_gain_map(options, flag);
    if (has_bool(env, object, "firstFrameOnly", &flag))
        sdimage_decode_options_set_first_frame_only(options, flag);
    if (has_bool(env, object, "applyOrientation", &flag))
        sdimage_decode_options_set_apply_orientation(options, flag);
    if (has_bool(env, object, "convertToSRGB", &flag))
        sdimage_decode_options_set_convert_to_srgb(options, flag);
    if (has_bool(env, object, "acceptPartial", &flag))
        sdimage_decode_options_set_accept_partial(options, flag);
    if (has_number(env, object, "limitBytes", &value))
        sdimage_decode_options_set_limit_bytes(options, (size_t)value);
    if (has_number(env, object, "maxBytes", &value))
        sdimage_decode_options_set_max_bytes(options, (size_t)value);
    if (has_number(env, object, "maxPixels", &value))
        sdimage_decode_options_set_max_pixels(options, (uint64_t)value);
    if (has_number(env, object, "maxWorkMs", &value))
        sdimage_decode_options_set_max_work_ms(options, (uint32_t)value);
    return options;
}

sdimage_encode_options *encode_options_of(napi_env env, napi_value object) {
    sdimage_encode_options *options = sdimage_encode_options_new();
    double width, height, value;
    bool flag;
    if (has_number(env, object, "quality", &value))
        sdimage_encode_options_set_quality(options, value);
    if (has_bool(env, object, "lossless", &flag))
        sdimage_encode_options_set_lossless(options, flag);
    if (has_number(env, object, "effort", &value))
        sdimage_encode_options_set_effort(options, (uint32_t)value);
    if (has_number(env, object, "maxFileSize", &value))
        sdimage_encode_options_set_max_file_size(options, (size_t)value);
    if (has_number(env, object, "maxWidth", &width) && has_number(env, object, "maxHeight", &height))
        sdimage_encode_options_set_max_pixel_size(options, (uint32_t)width, (uint32_t)height);
    if (has_bool(env, object, "embedGainMap", &flag))
        sdimage_encode_options_set_embed_gain_map(options, flag);
    if (has_bool(env, object, "firstFrameOnly", &flag))
        sdimage_encode_options_set_first_frame_only(options, flag);
    if (has_bool(env, object, "progressive", &flag))
        sdimage_encode_options_set_progressive(options, flag);
    return options;
}

/* Sets the header fields of an object, by name. */
static void set_headers(napi_env env, sdimage_request *request, napi_value object) {
    napi_value names, name, value;
    uint32_t count = 0;
    if (napi_get_property_names(env, object, &names) != napi_ok)
        return;
    napi_get_array_length(env, names, &count);
    for (uint32_t index = 0; index < count; index++) {
        napi_get_element(env, names, index, &name);
        napi_get_property(env, object, name, &value);
        char *field = text_of(env, name, NULL), *content = text_of(env, value, NULL);
        if (field)
            sdimage_request_set_header(request, field, content);
        free(field);
        free(content);
    }
}

/* Sets the key, which may contain NUL characters. */
static void set_cache_key(napi_env env, sdimage_request *request, napi_value object) {
    napi_value value;
    size_t length = 0;
    char *key = property(env, object, "cacheKey", &value) ? text_of(env, value, &length) : NULL;
    if (key)
        sdimage_request_set_cache_key(request, key, length);
    free(key);
}

/* Sets the properties that are numbers or flags. */
static void set_choices(napi_env env, sdimage_request *request, napi_value object) {
    double value;
    bool flag;
    if (has_number(env, object, "priority", &value))
        sdimage_request_set_priority(request, (sdimage_priority)value);
    if (has_number(env, object, "sourcePolicy", &value))
        sdimage_request_set_source_policy(request, (sdimage_source_policy)value);
    if (has_number(env, object, "cachePolicy", &value))
        sdimage_request_set_cache_policy(request, (sdimage_cache_policy)value);
    if (has_number(env, object, "freshness", &value))
        sdimage_request_set_freshness(request, (sdimage_freshness)value);
    if (has_bool(env, object, "progressive", &flag))
        sdimage_request_set_progressive(request, flag);
    if (has_number(env, object, "progressiveIntervalMs", &value))
        sdimage_request_set_progressive_interval_ms(request, (uint32_t)value);
    if (has_bool(env, object, "includeData", &flag))
        sdimage_request_set_include_data(request, flag);
    if (has_bool(env, object, "waitForStore", &flag))
        sdimage_request_set_wait_for_store(request, flag);
    if (has_bool(env, object, "retryFailed", &flag))
        sdimage_request_set_retry_failed(request, flag);
    if (has_number(env, object, "timeoutMs", &value))
        sdimage_request_set_timeout_ms(request, (uint32_t)value);
    if (has_number(env, object, "maxRetries", &value))
        sdimage_request_set_max_retries(request, (uint32_t)value);
    if (has_number(env, object, "maxBodyBytes", &value))
        sdimage_request_set_max_body_bytes(request, (size_t)value);
}

sdimage_request *request_of(napi_env env, napi_value url, napi_value object) {
    size_t length = 0;
    napi_value headers;
    char *text = text_of(env, url, &length);
    sdimage_request *request = text ? sdimage_request_new_bytes(text, length) : NULL;
    free(text);
    if (!request)
        return NULL;
    /* The same object has the properties of the decode. */
    sdimage_decode_options *options = decode_options_of(env, object);
    sdimage_request_set_decode_options(request, options);
    sdimage_decode_options_unref(options);
    set_choices(env, request, object);
    set_cache_key(env, request, object);
    if (property(env, object, "headers", &headers))
        set_headers(env, request, headers);
    return request;
}
