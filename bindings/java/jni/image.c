/* image.c: native methods for images, decoding and encoding. Options arrive as arrays of numbers, whose indices are
 * constants of the Java classes. */
#include <stdlib.h>

#include "shim.h"

sdimage_decode_options *decode_options(JNIEnv *env, jlongArray array) {
    jlong v[DECODE(COUNT)];
    read_longs(env, array, v, DECODE(COUNT));
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(options, (uint32_t)v[DECODE(WIDTH)], (uint32_t)v[DECODE(HEIGHT)],
                                              (sdimage_scale_mode)v[DECODE(SCALE_MODE)]);
    sdimage_decode_options_set_pixel_format(options, (sdimage_pixel_format)v[DECODE(PIXEL_FORMAT)]);
    sdimage_decode_options_set_first_frame_only(options, v[DECODE(FIRST_FRAME_ONLY)] != 0);
    sdimage_decode_options_set_apply_orientation(options, v[DECODE(APPLY_ORIENTATION)] != 0);
    sdimage_decode_options_set_convert_to_srgb(options, v[DECODE(CONVERT_TO_SRGB)] != 0);
    sdimage_decode_options_set_accept_partial(options, v[DECODE(ACCEPT_PARTIAL)] != 0);
    sdimage_decode_options_set_limit_bytes(options, (size_t)v[DECODE(LIMIT_BYTES)]);
    sdimage_decode_options_set_max_pixels(options, (uint64_t)v[DECODE(MAX_PIXELS)]);
    sdimage_decode_options_set_max_bytes(options, (size_t)v[DECODE(MAX_BYTES)]);
    sdimage_decode_options_set_max_work_ms(options, (uint32_t)v[DECODE(MAX_WORK_MS)]);
    sdimage_decode_options_set_dynamic_range(options, (sdimage_dynamic_range)v[DECODE(DYNAMIC_RANGE)]);
    /* The array holds whole numbers: the headroom is the bits of a double. */
    sdimage_decode_options_set_display_headroom(options, double_of_bits(v[DECODE(DISPLAY_HEADROOM)]));
    sdimage_decode_options_set_keep_gain_map(options, v[DECODE(KEEP_GAIN_MAP)] != 0);
    return options;
}

/* Makes encode options of an array, for the caller to release. */
static sdimage_encode_options *encode_options(JNIEnv *env, jdoubleArray array) {
    jdouble v[ENCODE(COUNT)];
    (*env)->GetDoubleArrayRegion(env, array, 0, ENCODE(COUNT), v);
    sdimage_encode_options *options = sdimage_encode_options_new();
    sdimage_encode_options_set_quality(options, v[ENCODE(QUALITY)]);
    sdimage_encode_options_set_lossless(options, v[ENCODE(LOSSLESS)] != 0);
    sdimage_encode_options_set_effort(options, (uint32_t)v[ENCODE(EFFORT)]);
    sdimage_encode_options_set_max_file_size(options, (size_t)v[ENCODE(MAX_FILE_SIZE)]);
    sdimage_encode_options_set_max_pixel_size(options, (uint32_t)v[ENCODE(MAX_WIDTH)], (uint32_t)v[ENCODE(MAX_HEIGHT)]);
    sdimage_encode_options_set_first_frame_only(options, v[ENCODE(FIRST_FRAME_ONLY)] != 0);
    sdimage_encode_options_set_progressive(options, v[ENCODE(PROGRESSIVE)] != 0);
    sdimage_encode_options_set_embed_gain_map(options, v[ENCODE(EMBED_GAIN_MAP)] != 0);
    return options;
}

jint NATIVE(sniff)(JNIEnv *env, jclass self, jbyteArray array) {
    size_t length = 0;
    (void)self;
    char *bytes = bytes_of(env, array, &length);
    jint format = bytes ? (jint)sdimage_sniff(bytes, length) : 0;
    free(bytes);
    return format;
}

/* Returns the properties of the header as JSON, without decoding pixels. */
jbyteArray NATIVE(info)(JNIEnv *env, jclass self, jbyteArray array) {
    sdimage_info *info = NULL;
    sdimage_data *json = NULL;
    sdimage_error *error = NULL;
    size_t length = 0;
    (void)self;
    char *bytes = bytes_of(env, array, &length);
    sdimage_status status =
        bytes ? sdimage_info_new(bytes, length, NULL, &info, &error) : SDIMAGE_STATUS_INVALID_ARGUMENT;
    if (status >= 0)
        status = sdimage_info_to_json(info, &json, &error);
    sdimage_info_unref(info);
    free(bytes);
    return failed(env, status, error) ? NULL : array_of_data(env, json);
}

jlong NATIVE(decode)(JNIEnv *env, jclass self, jbyteArray array, jlongArray values) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    size_t length = 0;
    (void)self;
    char *bytes = bytes_of(env, array, &length);
    sdimage_decode_options *options = decode_options(env, values);
    sdimage_status status =
        bytes ? sdimage_decode(bytes, length, options, &image, &error) : SDIMAGE_STATUS_INVALID_ARGUMENT;
    sdimage_decode_options_unref(options);
    free(bytes);
    return failed(env, status, error) ? 0 : address(image);
}

jbyteArray NATIVE(encode)(JNIEnv *env, jclass self, jlong image, jint format, jdoubleArray values) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_encode_options *options = encode_options(env, values);
    sdimage_status status = sdimage_encode(pointer(image), (sdimage_format)format, options, &data, &error);
    sdimage_encode_options_unref(options);
    return failed(env, status, error) ? NULL : array_of_data(env, data);
}

/* Copies rows of pixels into an image. Refuses fewer bytes than the size requires. */
jlong NATIVE(imageNew)(JNIEnv *env, jclass self, jint width, jint height, jint stride, jint format, jbyteArray array) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = SDIMAGE_STATUS_INVALID_ARGUMENT;
    size_t length = 0, row = (size_t)width * sdimage_pixel_format_bytes((sdimage_pixel_format)format);
    (void)self;
    char *pixels = bytes_of(env, array, &length);
    /* The last row may be shorter than the stride. Divides, because the product could overflow. */
    if (pixels && width > 0 && height > 0 && row > 0 && stride > 0 && (size_t)stride >= row && length >= row &&
        (length - row) / (size_t)stride >= (size_t)height - 1)
        status = sdimage_image_new((uint32_t)width, (uint32_t)height, (size_t)stride, (sdimage_pixel_format)format,
                                   pixels, &image, &error);
    free(pixels);
    return failed(env, status, error) ? 0 : address(image);
}

/* Returns all properties in one call, at the indices that Image.java names. Headrooms are the bits of doubles. */
jlongArray NATIVE(imageFields)(JNIEnv *env, jclass self, jlong object) {
    const sdimage_image *image = pointer(object);
    sdimage_size source = sdimage_image_source_size(image);
    (void)self;
    jlong fields[IMAGE(COUNT)] = {
        [IMAGE(WIDTH)] = sdimage_image_width(image),
        [IMAGE(HEIGHT)] = sdimage_image_height(image),
        [IMAGE(STRIDE)] = (jlong)sdimage_image_stride(image),
        [IMAGE(PIXEL_FORMAT)] = sdimage_image_pixel_format(image),
        [IMAGE(FORMAT)] = sdimage_image_format(image),
        [IMAGE(HAS_ALPHA)] = sdimage_image_has_alpha(image),
        [IMAGE(SOURCE_WIDTH)] = source.width,
        [IMAGE(SOURCE_HEIGHT)] = source.height,
        [IMAGE(FRAME_COUNT)] = sdimage_image_frame_count(image),
        [IMAGE(LOOP_COUNT)] = sdimage_image_loop_count(image),
        [IMAGE(DURATION_MS)] = (jlong)sdimage_image_duration_ms(image),
        [IMAGE(IS_THUMBNAIL)] = sdimage_image_is_thumbnail(image),
        [IMAGE(IS_INCREMENTAL)] = sdimage_image_is_incremental(image),
        [IMAGE(HEADROOM)] = bits_of_double(sdimage_image_headroom(image)),
        [IMAGE(CONTENT_HEADROOM)] = bits_of_double(sdimage_image_content_headroom(image)),
    };
    jlongArray array = (*env)->NewLongArray(env, IMAGE(COUNT));
    if (array)
        (*env)->SetLongArrayRegion(env, array, 0, IMAGE(COUNT), fields);
    return array;
}

/* Returns a buffer on the pixels, without copying them. */
jobject NATIVE(imagePixels)(JNIEnv *env, jclass self, jlong object) {
    sdimage_image *image = pointer(object);
    (void)self;
    /* The last row ends with its last pixel, because a crop is a view of the original image. */
    size_t row = sdimage_image_width(image) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(image));
    size_t length = sdimage_image_stride(image) * (sdimage_image_height(image) - 1) + row;
    jobject buffer = NULL;
    if (length <= INT32_MAX) /* the maximum size of a Java buffer */
        buffer = (*env)->NewDirectByteBuffer(env, (void *)sdimage_image_pixels(image), (jlong)length);
    /* The reference of the buffer, which Java releases. */
    if (buffer)
        sdimage_image_ref(image);
    else
        failed(env, length <= INT32_MAX ? SDIMAGE_STATUS_NO_MEMORY : SDIMAGE_STATUS_TOO_LARGE, NULL);
    return buffer;
}

jlong NATIVE(imageApplyGainMap)(JNIEnv *env, jclass self, jlong image, jdouble headroom) {
    sdimage_image *rendition = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_image_apply_gain_map(pointer(image), headroom, &rendition, &error);
    return failed(env, status, error) ? 0 : address(rendition);
}

jlong NATIVE(imageConvert)(JNIEnv *env, jclass self, jlong image, jint format) {
    sdimage_image *converted = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_image_convert(pointer(image), (sdimage_pixel_format)format, &converted, &error);
    return failed(env, status, error) ? 0 : address(converted);
}

jlong NATIVE(imageFrame)(JNIEnv *env, jclass self, jlong image, jint index) {
    sdimage_image *frame = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_image_get_frame(pointer(image), (uint32_t)index, &frame, &error);
    return failed(env, status, error) ? 0 : address(frame);
}

jint NATIVE(imageFrameDuration)(JNIEnv *env, jclass self, jlong image, jint index) {
    (void)env;
    (void)self;
    return (jint)sdimage_image_frame_duration_ms(pointer(image), (uint32_t)index);
}

jint NATIVE(pixelBytes)(JNIEnv *env, jclass self, jint format) {
    (void)env;
    (void)self;
    return (jint)sdimage_pixel_format_bytes((sdimage_pixel_format)format);
}
