/* image.c: images, their pixels, and header properties. Decodes and conversions are jobs (job.c). */
#include <stdlib.h>

#include "binding.h"

/* Returns the properties of an image, with its handle. Takes over the reference. */
napi_value image_fields(napi_env env, sdimage_image *image) {
    napi_value fields;
    sdimage_size source = sdimage_image_source_size(image);
    napi_create_object(env, &fields);
    set(env, fields, "width", number(env, sdimage_image_width(image)));
    set(env, fields, "height", number(env, sdimage_image_height(image)));
    set(env, fields, "stride", number(env, (double)sdimage_image_stride(image)));
    set(env, fields, "pixelFormat", number(env, sdimage_image_pixel_format(image)));
    set(env, fields, "format", text(env, sdimage_format_name(sdimage_image_format(image))));
    set(env, fields, "hasAlpha", boolean(env, sdimage_image_has_alpha(image)));
    set(env, fields, "scale", number(env, sdimage_image_scale(image)));
    set(env, fields, "sourceWidth", number(env, source.width));
    set(env, fields, "sourceHeight", number(env, source.height));
    set(env, fields, "headroom", number(env, sdimage_image_headroom(image)));
    set(env, fields, "contentHeadroom", number(env, sdimage_image_content_headroom(image)));
    set(env, fields, "frameCount", number(env, sdimage_image_frame_count(image)));
    set(env, fields, "loopCount", number(env, sdimage_image_loop_count(image)));
    set(env, fields, "durationMs", number(env, (double)sdimage_image_duration_ms(image)));
    set(env, fields, "isThumbnail", boolean(env, sdimage_image_is_thumbnail(image)));
    set(env, fields, "isIncremental", boolean(env, sdimage_image_is_incremental(image)));
    set(env, fields, "handle", handle_wrap(env, IMAGE, image));
    return fields;
}

/* imagePixels(image) => ArrayBuffer */
napi_value image_pixels(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    sdimage_image *image = handle_get(env, values[0], IMAGE);
    return image ? pixels_of(env, image) : NULL;
}

/* Throws INVALID_ARGUMENT with a message, and returns NULL. */
static napi_value throw_invalid(napi_env env, const char *message) {
    sdimage_status status = SDIMAGE_STATUS_INVALID_ARGUMENT;
    return throw_error(env, status, sdimage_error_new(status, message));
}

/* imageNew(width, height, stride, pixelFormat, bytes): copies the pixels. */
napi_value image_new(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    const void *bytes;
    size_t length = 0;
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    arguments(env, info, values);
    if (!bytes_of(env, values[4], &bytes, &length))
        return NULL;
    uint32_t width = (uint32_t)number_of(env, values[0]), height = (uint32_t)number_of(env, values[1]);
    sdimage_pixel_format format = (sdimage_pixel_format)number_of(env, values[3]);
    size_t row = width * sdimage_pixel_format_bytes(format), stride = (size_t)number_of(env, values[2]);
    /* 2^32 rows of 2^32 pixels of 16 bytes overflow: divide, do not multiply. */
    if (!height || !row)
        return throw_invalid(env, "image: the size is 0, or no image has the pixel format");
    if (stride < row)
        return throw_invalid(env, "image: the stride is shorter than a row");
    if (length < row || (length - row) / stride < height - 1)
        return throw_invalid(env, "image: too few bytes for the size");
    sdimage_status status = sdimage_image_new(width, height, stride, format, bytes, &image, &error);
    return status < 0 ? throw_error(env, status, error) : image_fields(env, image);
}

/* pixelBytes(pixelFormat) */
napi_value pixel_bytes(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    return number(env, (double)sdimage_pixel_format_bytes((sdimage_pixel_format)number_of(env, values[0])));
}

/* info(bytes) => text in JSON */
napi_value info_of_bytes(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    const void *bytes;
    size_t length = 0;
    sdimage_info *header = NULL;
    sdimage_data *json = NULL;
    sdimage_error *error = NULL;
    arguments(env, info, values);
    if (!bytes_of(env, values[0], &bytes, &length))
        return NULL;
    sdimage_status status = sdimage_info_new(bytes, length, NULL, &header, &error);
    if (status >= 0)
        status = sdimage_info_to_json(header, &json, &error);
    sdimage_info_unref(header);
    return status < 0 ? throw_error(env, status, error) : text_of_data(env, json);
}

/* sniff(bytes) => name of the format, or null */
napi_value sniff(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS], none;
    const void *bytes;
    size_t length = 0;
    arguments(env, info, values);
    if (!bytes_of(env, values[0], &bytes, &length))
        return NULL;
    sdimage_format format = sdimage_sniff(bytes, length);
    napi_get_null(env, &none);
    return format == SDIMAGE_FORMAT_UNKNOWN ? none : text(env, sdimage_format_name(format));
}

/* Stores the diagnosis of the library as JSON. */
static sdimage_status diagnose(sdimage_data **json, sdimage_error **error) {
    sdimage_diagnosis *diagnosis = NULL;
    sdimage_status status = sdimage_diagnosis_new(&diagnosis, error);
    if (status >= 0)
        status = sdimage_diagnosis_to_json(diagnosis, json, error);
    sdimage_diagnosis_unref(diagnosis);
    return status;
}

/* version() => text */
napi_value version(napi_env env, napi_callback_info info) {
    (void)info;
    return text(env, sdimage_version());
}

/* Returns the text that a function has stored; throws its error. */
static napi_value text_from(napi_env env, sdimage_status (*store)(sdimage_data **, sdimage_error **)) {
    sdimage_data *json = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = store(&json, &error);
    return status < 0 ? throw_error(env, status, error) : text_of_data(env, json);
}

/* doctor() => text in JSON */
napi_value doctor(napi_env env, napi_callback_info info) {
    (void)info;
    return text_from(env, diagnose);
}

/* metrics() => text */
napi_value metrics(napi_env env, napi_callback_info info) {
    (void)info;
    return text_from(env, sdimage_metrics);
}
