/* Images, decoding and encoding. */
#include <stdlib.h>

#include "shim.h"

sdimage_decode_options *decode_options(JNIEnv *env, jlongArray array) {
    jlong v[DECODE_OPTIONS];
    read_longs(env, array, v, DECODE_OPTIONS);
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(options, (uint32_t)v[0], (uint32_t)v[1], (sdimage_scale_mode)v[2]);
    sdimage_decode_options_set_pixel_format(options, (sdimage_pixel_format)v[3]);
    sdimage_decode_options_set_first_frame_only(options, v[4] != 0);
    sdimage_decode_options_set_apply_orientation(options, v[5] != 0);
    sdimage_decode_options_set_convert_to_srgb(options, v[6] != 0);
    sdimage_decode_options_set_accept_partial(options, v[7] != 0);
    sdimage_decode_options_set_limit_bytes(options, (size_t)v[8]);
    sdimage_decode_options_set_max_pixels(options, (uint64_t)v[9]);
    sdimage_decode_options_set_max_bytes(options, (size_t)v[10]);
    sdimage_decode_options_set_dynamic_range(options, (sdimage_dynamic_range)v[11]);
    sdimage_decode_options_set_display_headroom(options, double_of_bits(v[12]));
    sdimage_decode_options_set_keep_gain_map(options, v[13] != 0);
    return options;
}

static sdimage_encode_options *encode_options(JNIEnv *env, jdoubleArray array) {
    jdouble v[ENCODE_OPTIONS];
    (*env)->GetDoubleArrayRegion(env, array, 0, ENCODE_OPTIONS, v);
    sdimage_encode_options *options = sdimage_encode_options_new();
    sdimage_encode_options_set_quality(options, v[0]);
    sdimage_encode_options_set_lossless(options, v[1] != 0);
    sdimage_encode_options_set_effort(options, (uint32_t)v[2]);
    sdimage_encode_options_set_max_file_size(options, (size_t)v[3]);
    sdimage_encode_options_set_max_pixel_size(options, (uint32_t)v[4], (uint32_t)v[5]);
    sdimage_encode_options_set_first_frame_only(options, v[6] != 0);
    sdimage_encode_options_set_progressive(options, v[7] != 0);
    sdimage_encode_options_set_embed_gain_map(options, v[8] != 0);
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

jlong NATIVE(imageNew)(JNIEnv *env, jclass self, jint width, jint height, jint stride, jint format, jbyteArray array) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = SDIMAGE_STATUS_INVALID_ARGUMENT;
    size_t length = 0, row = (size_t)width * sdimage_pixel_format_bytes((sdimage_pixel_format)format);
    (void)self;
    char *pixels = bytes_of(env, array, &length);
    if (pixels && width > 0 && height > 0 && row > 0 && stride > 0 && (size_t)stride >= row && length >= row &&
        (length - row) / (size_t)stride >= (size_t)height - 1)
        status = sdimage_image_new((uint32_t)width, (uint32_t)height, (size_t)stride, (sdimage_pixel_format)format,
                                   pixels, &image, &error);
    free(pixels);
    return failed(env, status, error) ? 0 : address(image);
}

jlongArray NATIVE(imageFields)(JNIEnv *env, jclass self, jlong object) {
    const sdimage_image *image = pointer(object);
    sdimage_size source = sdimage_image_source_size(image);
    (void)self;
    jlong fields[] = {sdimage_image_width(image),
                      sdimage_image_height(image),
                      (jlong)sdimage_image_stride(image),
                      sdimage_image_pixel_format(image),
                      sdimage_image_format(image),
                      sdimage_image_has_alpha(image),
                      source.width,
                      source.height,
                      sdimage_image_frame_count(image),
                      sdimage_image_loop_count(image),
                      (jlong)sdimage_image_duration_ms(image),
                      sdimage_image_is_thumbnail(image),
                      sdimage_image_is_incremental(image),
                      bits_of_double(sdimage_image_headroom(image)),
                      bits_of_double(sdimage_image_content_headroom(image))};
    return longs(env, fields, sizeof fields / sizeof *fields);
}

jobject NATIVE(imagePixels)(JNIEnv *env, jclass self, jlong object) {
    sdimage_image *image = pointer(object);
    (void)self;
    /* The last row ends with its last pixel, because a crop is a view of the original image. */
    size_t row = sdimage_image_width(image) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(image));
    size_t length = sdimage_image_stride(image) * (sdimage_image_height(image) - 1) + row;
    jobject buffer = NULL;
    if (length <= INT32_MAX) /* the maximum size of a Java buffer */
        buffer = (*env)->NewDirectByteBuffer(env, (void *)sdimage_image_pixels(image), (jlong)length);
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
