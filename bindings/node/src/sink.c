/* sink.c: sinks: where loaders of programs write what they load. Called by index.js while and after a loader's function
 * runs. */
#include <stdlib.h>

#include "binding.h"

/* sinkExpect(sink, length) */
napi_value sink_expect(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    sdimage_load_sink *sink = handle_get(env, values[0], SINK);
    if (sink)
        sdimage_load_sink_set_expected_length(sink, (uint64_t)number_of(env, values[1]));
    return NULL;
}

/* sinkWrite(sink, bytes) */
napi_value sink_write(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    const void *bytes;
    size_t length = 0;
    sdimage_error *error = NULL;
    arguments(env, info, values);
    sdimage_load_sink *sink = handle_get(env, values[0], SINK);
    if (sink && bytes_of(env, values[1], &bytes, &length) &&
        sdimage_load_sink_write(sink, length ? bytes : "", length, &error) < 0)
        return throw_error(env, SDIMAGE_STATUS_CANCELLED, error);
    return NULL;
}

/* sinkFinish(sink) */
napi_value sink_finish(napi_env env, napi_callback_info info) {
    sdimage_load_sink *sink = first_argument(env, info, SINK);
    if (sink)
        sdimage_load_sink_finish(sink, NULL);
    return NULL;
}

/* sinkFinishWithImage(sink, image) */
napi_value sink_finish_with_image(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    sdimage_image *image;
    arguments(env, info, values);
    sdimage_load_sink *sink = handle_get(env, values[0], SINK);
    if (sink && (image = handle_get(env, values[1], IMAGE)))
        sdimage_load_sink_finish_with_image(sink, image);
    return NULL;
}

/* sinkFail(sink, status, message) */
napi_value sink_fail(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    sdimage_load_sink *sink = handle_get(env, values[0], SINK);
    if (!sink)
        return NULL;
    char *message = text_of(env, values[2], NULL);
    sdimage_error *error = sdimage_error_new((sdimage_status)number_of(env, values[1]), message ? message : "");
    /* Passing no error would mean success. Without memory for one, releasing the sink is a failure too. */
    if (error)
        sdimage_load_sink_finish(sink, error);
    sdimage_error_unref(error);
    free(message);
    return NULL;
}
