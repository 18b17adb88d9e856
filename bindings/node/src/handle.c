/* handle.c: objects of the library as JavaScript values. Only this file owns references.
 *
 * A value is an external that holds a box with one reference to an object. The reference is released by `release`, or
 * when the value is collected, whichever is first. */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* The contents of a value. */
typedef struct box {
    kind kind;
    void *object; /* NULL after release */
    int64_t cost; /* bytes reported to the collector */
} box;

/* Releases a reference to an object of a kind. */
static void unref(kind kind, void *object) {
    switch (kind) {
    case IMAGE: sdimage_image_unref(object); break;
    case RESULT: sdimage_result_unref(object); break;
    case TASK: sdimage_task_unref(object); break;
    case MANAGER: sdimage_manager_unref(object); break;
    case CACHE: sdimage_cache_unref(object); break;
    case LOADER: sdimage_loader_unref(object); break;
    case SINK: sdimage_load_sink_unref(object); break;
    }
}

/* Releases the object of a box; no effect if it is released. */
static void empty(napi_env env, box *box) {
    int64_t total;
    void *object = box->object;
    if (!object)
        return;
    box->object = NULL;
    binding_of(env)->handles--;
    if (box->cost)
        napi_adjust_external_memory(env, -box->cost, &total);
    unref(box->kind, object);
}

/* Finalizer of a value, on the thread of its environment. */
static void collected(napi_env env, void *data, void *hint) {
    (void)hint;
    empty(env, data);
    free(data);
}

/* Distinguishes these values from those of other addons. The two halves are ASCII text. */
static const napi_type_tag tag = {0x7364696d61676531, 0x6e6f64652d626f78};

napi_value handle_wrap(napi_env env, kind kind, void *object) {
    napi_value value = NULL;
    int64_t total;
    if (!object) {
        napi_get_null(env, &value);
        return value;
    }
    box *made = calloc(1, sizeof *made);
    if (!made || napi_create_external(env, made, collected, NULL, &value) != napi_ok) {
        free(made);
        unref(kind, object);
        return throw_error(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
    }
    napi_type_tag_object(env, value, &tag);
    *made = (box){.kind = kind, .object = object};
    binding_of(env)->handles++;
    /* Images are large and their JavaScript values small: without this report the collector has no reason to run. */
    if (kind == IMAGE) {
        made->cost = (int64_t)sdimage_image_memory_cost(object);
        napi_adjust_external_memory(env, made->cost, &total);
    }
    return value;
}

/* Returns the box of a value; NULL for any other value. */
static box *box_of(napi_env env, napi_value value) {
    void *data = NULL;
    bool is_ours = false;
    napi_valuetype type;
    if (napi_typeof(env, value, &type) == napi_ok && type == napi_external)
        napi_check_object_type_tag(env, value, &tag, &is_ours);
    if (!is_ours || napi_get_value_external(env, value, &data) != napi_ok)
        return NULL;
    return data;
}

void *handle_get(napi_env env, napi_value value, kind kind) {
    box *found = box_of(env, value);
    if (found && found->kind == kind && found->object)
        return found->object;
    napi_throw_type_error(env, NULL, found && !found->object ? "it was released" : "not an object of sdimage");
    return NULL;
}

void *first_argument(napi_env env, napi_callback_info info, kind kind) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    return handle_get(env, values[0], kind);
}

napi_value handle_release(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    arguments(env, info, values);
    box *found = box_of(env, values[0]);
    if (found)
        empty(env, found);
    return NULL;
}

/* Finalizer of an ArrayBuffer on pixels. */
static void image_unused(napi_env env, void *bytes, void *image) {
    (void)bytes;
    binding_of(env)->handles--;
    sdimage_image_unref(image);
}

/* Node finalizes a Buffer that is too long twice: by itself, and on the error. So it never receives one. */
static bool is_too_long(napi_env env, size_t length) {
    if ((double)length <= binding_of(env)->max_bytes)
        return false;
    throw_error(env, SDIMAGE_STATUS_TOO_LARGE, NULL);
    return true;
}

napi_value pixels_of(napi_env env, sdimage_image *image) {
    size_t stride = sdimage_image_stride(image), height = sdimage_image_height(image);
    /* The last row ends with its last pixel, because a crop is a view of the original image. */
    size_t row = sdimage_image_width(image) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(image));
    size_t length = stride * (height - 1) + row;
    void *bytes = (void *)sdimage_image_pixels(image), *copy;
    napi_value value = NULL;
    if (is_too_long(env, length))
        return NULL;
    binding_of(env)->handles++;
    /* Counted before the call; image_unused undoes it after a failure. */
    napi_status status =
        napi_create_external_arraybuffer(env, bytes, length, image_unused, sdimage_image_ref(image), &value);
    if (status == napi_ok)
        return value;
    /* Some builds of V8 permit no memory outside of its own: the pixels are copied then. */
    if (status == napi_no_external_buffers_allowed &&
        (status = napi_create_arraybuffer(env, length, &copy, &value)) == napi_ok)
        memcpy(copy, bytes, length);
    image_unused(env, NULL, image);
    return status == napi_ok ? value : throw_error(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
}

napi_value buffer_of(napi_env env, sdimage_data *data) {
    napi_value value = NULL;
    if (!data) {
        napi_get_null(env, &value);
        return value;
    }
    size_t length = sdimage_data_length(data);
    bool is_made = false, is_long = is_too_long(env, length);
    if (!is_long)
        is_made = napi_create_buffer_copy(env, length, sdimage_data_bytes(data), NULL, &value) == napi_ok;
    sdimage_data_unref(data);
    return is_made || is_long ? value : throw_error(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
}
