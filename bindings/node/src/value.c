/* value.c: conversion of values from and to JavaScript. All functions run on the thread of the environment. */
#include <stdlib.h>

#include "binding.h"

void arguments(napi_env env, napi_callback_info info, napi_value values[MAX_ARGUMENTS]) {
    size_t count = MAX_ARGUMENTS;
    napi_get_cb_info(env, info, &count, values, NULL, NULL);
}

napi_value undefined(napi_env env) {
    napi_value value = NULL;
    napi_get_undefined(env, &value);
    return value;
}

bool property(napi_env env, napi_value object, const char *name, napi_value *value) {
    napi_valuetype type;
    if (napi_typeof(env, object, &type) != napi_ok || type != napi_object)
        return false;
    if (napi_get_named_property(env, object, name, value) != napi_ok || napi_typeof(env, *value, &type) != napi_ok)
        return false;
    return type != napi_undefined && type != napi_null;
}

bool has_number(napi_env env, napi_value object, const char *name, double *number) {
    napi_value value;
    return property(env, object, name, &value) && napi_get_value_double(env, value, number) == napi_ok;
}

bool has_bool(napi_env env, napi_value object, const char *name, bool *flag) {
    napi_value value;
    return property(env, object, name, &value) && napi_get_value_bool(env, value, flag) == napi_ok;
}

bool is_true(napi_env env, napi_value object, const char *name) {
    bool flag = false;
    return has_bool(env, object, name, &flag) && flag;
}

char *text_of(napi_env env, napi_value value, size_t *length) {
    size_t needed = 0;
    /* The first call returns the length. */
    if (napi_get_value_string_utf8(env, value, NULL, 0, &needed) != napi_ok)
        return NULL;
    char *text = malloc(needed + 1);
    if (text && napi_get_value_string_utf8(env, value, text, needed + 1, &needed) == napi_ok && length)
        *length = needed;
    return text;
}

char *text_property(napi_env env, napi_value object, const char *name) {
    napi_value value;
    return property(env, object, name, &value) ? text_of(env, value, NULL) : NULL;
}

bool bytes_of(napi_env env, napi_value value, const void **bytes, size_t *length) {
    bool is_view = false, is_buffer = false;
    void *start = NULL;
    napi_is_buffer(env, value, &is_view); /* true for every view, Buffers among them */
    napi_is_arraybuffer(env, value, &is_buffer);
    if (is_view)
        napi_get_buffer_info(env, value, &start, length);
    else if (is_buffer)
        napi_get_arraybuffer_info(env, value, &start, length);
    else
        napi_throw_type_error(env, NULL, "argument: bytes must be an ArrayBuffer, a typed array or a Buffer");
    *bytes = start;
    return is_view || is_buffer;
}

double number_of(napi_env env, napi_value value) {
    double number = 0;
    napi_get_value_double(env, value, &number);
    return number;
}

napi_value number(napi_env env, double value) {
    napi_value made = NULL;
    napi_create_double(env, value, &made);
    return made;
}

napi_value boolean(napi_env env, bool value) {
    napi_value made = NULL;
    napi_get_boolean(env, value, &made);
    return made;
}

napi_value text(napi_env env, const char *value) {
    napi_value made = NULL;
    napi_create_string_utf8(env, value, NAPI_AUTO_LENGTH, &made);
    return made;
}

napi_value text_of_data(napi_env env, sdimage_data *data) {
    napi_value made = NULL;
    napi_create_string_utf8(env, sdimage_data_bytes(data), sdimage_data_length(data), &made);
    sdimage_data_unref(data);
    return made;
}

void set(napi_env env, napi_value object, const char *name, napi_value value) {
    napi_set_named_property(env, object, name, value);
}

napi_value error_value(napi_env env, sdimage_status status, const sdimage_error *error) {
    napi_value make, made = NULL;
    const char *message = sdimage_error_message(error);
    napi_value values[] = {text(env, sdimage_status_name(error ? sdimage_error_code(error) : status)),
                           text(env, *message ? message : "library: call failed"),
                           number(env, sdimage_error_http_status(error)), text(env, sdimage_error_url(error)),
                           boolean(env, sdimage_error_is_transient(error))};
    /* The class of errors is defined in JavaScript. */
    napi_get_reference_value(env, binding_of(env)->error, &make);
    napi_call_function(env, undefined(env), make, sizeof values / sizeof *values, values, &made);
    return made;
}

napi_value throw_error(napi_env env, sdimage_status status, sdimage_error *error) {
    napi_value made = error_value(env, status, error);
    sdimage_error_unref(error);
    if (made)
        napi_throw(env, made);
    return NULL;
}
