/* load.c: native methods of managers, loads and their results. Callbacks run on the library's callback thread and only
 * forward.
 *
 * A load is known to the library by a token, a number by which Java finds its object. So no reference to a Java object
 * can leak here; on_destroy ends the life of the token. */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* Gives the downloader the signature of the other makers. It has the default configuration. */
static sdimage_status new_downloader(sdimage_loader **loader, sdimage_error **error) {
    return sdimage_downloader_new(NULL, loader, error);
}

/* Adds the built-in loaders, then those of the program, which are tried before them. */
static sdimage_status fill_chain(JNIEnv *env, jlongArray array, sdimage_loader *chain, sdimage_error **error) {
    sdimage_status (*const makers[])(sdimage_loader **, sdimage_error **) = {
        sdimage_loader_new_file, sdimage_loader_new_data_url, new_downloader};
    sdimage_status status = SDIMAGE_STATUS_OK;
    for (size_t index = 0; status >= 0 && index < sizeof makers / sizeof *makers; index++) {
        sdimage_loader *made = NULL;
        status = makers[index](&made, error);
        if (status >= 0)
            status = sdimage_loader_chain_add(chain, made, error);
        sdimage_loader_unref(made);
    }
    jsize count = (*env)->GetArrayLength(env, array);
    for (jsize index = 0; status >= 0 && index < count; index++) {
        jlong loader = 0;
        (*env)->GetLongArrayRegion(env, array, index, 1, &loader);
        status = sdimage_loader_chain_add(chain, pointer(loader), error);
    }
    return status;
}

/* Sets a chain as the loader, if the program has loaders. */
static sdimage_status set_loaders(JNIEnv *env, jlongArray array, sdimage_manager_config *config,
                                  sdimage_error **error) {
    sdimage_loader *chain = NULL;
    if ((*env)->GetArrayLength(env, array) == 0)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = sdimage_loader_new_chain(&chain, error);
    if (status >= 0)
        status = fill_chain(env, array, chain, error);
    if (status >= 0)
        sdimage_manager_config_set_loader(config, chain);
    sdimage_loader_unref(chain);
    return status;
}

/* Makes a manager. A cache of 0 means none if `has_no_cache` is set, otherwise the default of the library. */
jlong NATIVE(managerNew)(JNIEnv *env, jclass self, jlong cache, jboolean has_no_cache, jlongArray loaders,
                         jint freshness, jboolean has_retry_after, jlong retry_after, jboolean ignores_signatures) {
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_manager_config *config = sdimage_manager_config_new();
    if (cache || has_no_cache)
        sdimage_manager_config_set_cache(config, pointer(cache));
    sdimage_manager_config_set_freshness(config, (sdimage_freshness)freshness);
    if (has_retry_after)
        sdimage_manager_config_set_failed_url_retry_after(config, retry_after);
    sdimage_manager_config_set_ignore_signatures(config, ignores_signatures);
    /* A manager without a configuration would have the defaults. */
    sdimage_status status = config ? set_loaders(env, loaders, config, &error) : SDIMAGE_STATUS_NO_MEMORY;
    if (status >= 0)
        status = sdimage_manager_new(config, &manager, &error);
    sdimage_manager_config_unref(config);
    return failed(env, status, error) ? 0 : address(manager);
}

/* Passes a result, with a reference for Java. */
static void on_result(void *token, sdimage_task *task, sdimage_result *result) {
    JNIEnv *env = attached();
    (void)task;
    if (!env)
        return;
    (*env)->CallStaticVoidMethod(env, java.native, java.on_result, address(token), address(sdimage_result_ref(result)));
    ignore_exception(env);
}

/* Passes the progress of a load, in bytes; -1 if the total is unknown. */
static void on_progress(void *token, sdimage_task *task, int64_t received, int64_t expected) {
    JNIEnv *env = attached();
    (void)task;
    if (!env)
        return;
    (*env)->CallStaticVoidMethod(env, java.native, java.on_progress, address(token), (jlong)received, (jlong)expected);
    ignore_exception(env);
}

/* Sets header fields from an array of names and values; null removes a field. Stops with an exception pending. */
static void set_fields(JNIEnv *env, jobjectArray fields, sdimage_request *request) {
    jsize count = (*env)->ExceptionCheck(env) ? 0 : (*env)->GetArrayLength(env, fields);
    for (jsize index = 0; index + 1 < count && !(*env)->ExceptionCheck(env); index += 2) {
        jbyteArray first = (*env)->GetObjectArrayElement(env, fields, index);
        jbyteArray second = (*env)->GetObjectArrayElement(env, fields, index + 1);
        char *name = bytes_of(env, first, NULL), *value = bytes_of(env, second, NULL);
        if (name && !(*env)->ExceptionCheck(env))
            sdimage_request_set_header(request, name, value);
        free(name);
        free(value);
        /* Otherwise all would live until the native method returns, and their number is limited. */
        (*env)->DeleteLocalRef(env, first);
        (*env)->DeleteLocalRef(env, second);
    }
}

/* Makes a request, for the caller to release; NULL if memory is exhausted or the URL cannot be copied. An exception may
 * be pending, also with a request. */
static sdimage_request *new_request(JNIEnv *env, jbyteArray url, jbyteArray key, jlongArray decode, jlongArray values) {
    jlong v[REQUEST(COUNT)];
    size_t length = 0;
    char *text = bytes_of(env, url, &length);
    sdimage_request *request = text ? sdimage_request_new_bytes(text, length) : NULL;
    free(text);
    if (!request)
        return NULL;
    read_longs(env, values, v, REQUEST(COUNT));
    sdimage_decode_options *options = decode_options(env, decode);
    sdimage_request_set_decode_options(request, options);
    sdimage_decode_options_unref(options);
    sdimage_request_set_priority(request, (sdimage_priority)v[REQUEST(PRIORITY)]);
    sdimage_request_set_source_policy(request, (sdimage_source_policy)v[REQUEST(SOURCE_POLICY)]);
    /* A request without a policy has that of its manager. */
    if (v[REQUEST(FRESHNESS)] != REQUEST(FRESHNESS_OF_MANAGER))
        sdimage_request_set_freshness(request, (sdimage_freshness)v[REQUEST(FRESHNESS)]);
    sdimage_request_set_progressive(request, v[REQUEST(PROGRESSIVE)] != 0);
    sdimage_request_set_progressive_interval_ms(request, (uint32_t)v[REQUEST(PROGRESSIVE_INTERVAL_MS)]);
    sdimage_request_set_include_data(request, v[REQUEST(INCLUDE_DATA)] != 0);
    sdimage_request_set_wait_for_store(request, v[REQUEST(WAIT_FOR_STORE)] != 0);
    sdimage_request_set_retry_failed(request, v[REQUEST(RETRY_FAILED)] != 0);
    sdimage_request_set_timeout_ms(request, (uint32_t)v[REQUEST(TIMEOUT_MS)]);
    if (v[REQUEST(MAX_RETRIES)] != REQUEST(RETRIES_OF_DOWNLOADER))
        sdimage_request_set_max_retries(request, (uint32_t)v[REQUEST(MAX_RETRIES)]);
    sdimage_request_set_max_body_bytes(request, (size_t)v[REQUEST(MAX_BODY_BYTES)]);
    sdimage_request_set_cache_policy(request, (sdimage_cache_policy)v[REQUEST(CACHE_POLICY)]);
    if ((text = bytes_of(env, key, &length)))
        sdimage_request_set_cache_key(request, text, length);
    free(text);
    return request;
}

/* Starts a load and returns its task. The load owns the token until on_destroy, which runs after a failure too. */
jlong NATIVE(managerStart)(JNIEnv *env, jclass self, jlong manager, jbyteArray url, jbyteArray key, jobjectArray fields,
                           jlongArray decode, jlongArray values, jlong token) {
    static const sdimage_load_handler handler = {sizeof handler, on_result, on_progress};
    sdimage_task *task = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_request *request = new_request(env, url, key, decode, values);
    if (request)
        set_fields(env, fields, request);
    if ((*env)->ExceptionCheck(env)) {
        sdimage_request_unref(request);
        request = NULL;
    }
    /* A NULL request is refused, and the token released. */
    sdimage_status status =
        sdimage_manager_load(pointer(manager), request, &handler, pointer(token), on_destroy, &task, &error);
    sdimage_request_unref(request);
    return failed(env, status, error) ? 0 : address(task);
}

/* Waits for the last callbacks. A timeout is no exception. */
void NATIVE(managerClose)(JNIEnv *env, jclass self, jlong manager, jint milliseconds) {
    (void)env;
    (void)self;
    sdimage_manager_close(pointer(manager), (uint32_t)milliseconds, NULL);
}

void NATIVE(managerFlush)(JNIEnv *env, jclass self, jlong manager, jlong milliseconds) {
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_manager_flush(pointer(manager), (uint32_t)milliseconds, &error);
    failed(env, status, error);
}

void NATIVE(managerCancelAll)(JNIEnv *env, jclass self, jlong manager) {
    (void)env;
    (void)self;
    sdimage_manager_cancel_all(pointer(manager));
}

jlong NATIVE(managerRunningCount)(JNIEnv *env, jclass self, jlong manager) {
    (void)env;
    (void)self;
    return (jlong)sdimage_manager_running_count(pointer(manager));
}

jboolean NATIVE(managerIsOffline)(JNIEnv *env, jclass self, jlong manager) {
    (void)env;
    (void)self;
    return sdimage_manager_is_offline(pointer(manager));
}

void NATIVE(managerSetOffline)(JNIEnv *env, jclass self, jlong manager, jboolean is_offline) {
    (void)env;
    (void)self;
    sdimage_manager_set_offline(pointer(manager), is_offline);
}

void NATIVE(managerForgetFailed)(JNIEnv *env, jclass self, jlong manager) {
    (void)env;
    (void)self;
    sdimage_manager_forget_failed(pointer(manager), NULL, 0);
}

void NATIVE(taskCancel)(JNIEnv *env, jclass self, jlong task) {
    (void)env;
    (void)self;
    sdimage_task_cancel(pointer(task));
}

jint NATIVE(taskPriority)(JNIEnv *env, jclass self, jlong task) {
    (void)env;
    (void)self;
    return sdimage_task_priority(pointer(task));
}

void NATIVE(taskSetPriority)(JNIEnv *env, jclass self, jlong task, jint priority) {
    (void)env;
    (void)self;
    sdimage_task_set_priority(pointer(task), (sdimage_priority)priority);
}

jint NATIVE(resultKind)(JNIEnv *env, jclass self, jlong result) {
    (void)env;
    (void)self;
    return sdimage_result_kind(pointer(result));
}

jboolean NATIVE(resultIsChanged)(JNIEnv *env, jclass self, jlong result) {
    (void)env;
    (void)self;
    return sdimage_result_is_changed(pointer(result));
}

jboolean NATIVE(resultIsStale)(JNIEnv *env, jclass self, jlong result) {
    (void)env;
    (void)self;
    return sdimage_result_is_stale(pointer(result));
}

jlong NATIVE(resultTimeNs)(JNIEnv *env, jclass self, jlong result, jint stage) {
    (void)env;
    (void)self;
    return (jlong)sdimage_result_time_ns(pointer(result), (sdimage_stage)stage);
}

/* Returns a reference for Java; 0 without an image. */
jlong NATIVE(resultImage)(JNIEnv *env, jclass self, jlong result) {
    (void)env;
    (void)self;
    return address(sdimage_image_ref(sdimage_result_image(pointer(result))));
}

/* Returns a reference for Java; 0 without data. */
jlong NATIVE(resultData)(JNIEnv *env, jclass self, jlong result) {
    (void)env;
    (void)self;
    return address(sdimage_data_ref(sdimage_result_data(pointer(result))));
}

jbyteArray NATIVE(resultUrl)(JNIEnv *env, jclass self, jlong result) {
    (void)self;
    return array_of_text(env, sdimage_result_url(pointer(result)));
}

jbyteArray NATIVE(resultCacheKey)(JNIEnv *env, jclass self, jlong result) {
    (void)self;
    return array_of_text(env, sdimage_result_cache_key(pointer(result)));
}

jbyteArray NATIVE(resultSource)(JNIEnv *env, jclass self, jlong result) {
    (void)self;
    return array_of_text(env, sdimage_image_source_name(sdimage_result_source(pointer(result))));
}

jbyteArray NATIVE(resultFreshness)(JNIEnv *env, jclass self, jlong result) {
    (void)self;
    return array_of_text(env, sdimage_freshness_rule_name(sdimage_result_freshness(pointer(result))));
}

/* Returns the error of a result as an exception that is not thrown; null without one. */
jobject NATIVE(resultError)(JNIEnv *env, jclass self, jlong result) {
    (void)self;
    sdimage_error *error = sdimage_result_error(pointer(result));
    return error ? exception_of(env, SDIMAGE_STATUS_OK, error) : NULL;
}

/* Returns a buffer on the bytes. Java holds the reference to the data that it needs. */
jobject NATIVE(dataBytes)(JNIEnv *env, jclass self, jlong object) {
    const sdimage_data *data = pointer(object);
    (void)self;
    if (sdimage_data_length(data) > INT32_MAX) { /* the maximum size of a Java buffer */
        failed(env, SDIMAGE_STATUS_TOO_LARGE, NULL);
        return NULL;
    }
    return (*env)->NewDirectByteBuffer(env, (void *)sdimage_data_bytes(data), (jlong)sdimage_data_length(data));
}
