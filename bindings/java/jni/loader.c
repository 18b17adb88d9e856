/* loader.c: native methods of custom loaders and their sinks.
 *
 * The schemes of a loader are matched here, because that must not wait for Java. A load is passed to a thread of Java,
 * which writes into the sink. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shim.h"

/* The user data of a loader. */
typedef struct custom {
    jlong token;     /* number by which Java finds the loader */
    size_t count;    /* 0: all URLs */
    char *schemes[]; /* "tar:" */
} custom;

/* Returns true if the URL has one of the schemes, or the loader takes all URLs. Called on any thread. */
static bool can_load(void *user_data, const sdimage_request *request) {
    custom *custom = user_data;
    const char *url = sdimage_request_url(request, NULL);
    for (size_t index = 0; index < custom->count; index++)
        if (strncasecmp(url, custom->schemes[index], strlen(custom->schemes[index])) == 0)
            return true;
    return custom->count == 0;
}

/* Passes a load to Java and returns. Java releases the reference to the sink. */
static sdimage_status load(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    custom *custom = user_data;
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    JNIEnv *env = attached();
    jbyteArray text = env ? array_of(env, url, length) : NULL;
    if (text)
        (*env)->CallStaticVoidMethod(env, java.native, java.on_load, custom->token, text,
                                     address(sdimage_load_sink_ref(sink)));
    if (env) {
        ignore_exception(env);
        (*env)->DeleteLocalRef(env, text); /* the thread never returns to Java, which would delete it */
    }
    return text ? SDIMAGE_STATUS_OK : SDIMAGE_STATUS_SHUTDOWN;
}

/* Tells Java that no load waits for the sink, which its address identifies. */
static void cancel(void *user_data, sdimage_load_sink *sink) {
    JNIEnv *env = attached();
    if (!env)
        return;
    (*env)->CallStaticVoidMethod(env, java.native, java.on_cancel, ((custom *)user_data)->token, address(sink));
    ignore_exception(env);
}

/* Frees the user data, and ends the life of its token. */
static void destroy(void *user_data) {
    custom *custom = user_data;
    on_destroy(pointer(custom->token));
    for (size_t index = 0; index < custom->count; index++)
        free(custom->schemes[index]);
    free(custom);
}

/* Makes a loader for schemes; without any it takes all URLs. Takes over the token, after a failure too. */
jlong NATIVE(loaderNew)(JNIEnv *env, jclass self, jobjectArray schemes, jlong token) {
    static const sdimage_loader_vtable table = {
        .size = sizeof table, .can_load = can_load, .load = load, .cancel = cancel};
    sdimage_loader *loader = NULL;
    sdimage_error *error = NULL;
    jsize count = (*env)->GetArrayLength(env, schemes);
    (void)self;
    custom *made = calloc(1, sizeof *made + (size_t)count * sizeof *made->schemes);
    if (!made) {
        on_destroy(pointer(token));
        failed(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
        return 0;
    }
    made->token = token;
    for (jsize index = 0; index < count; index++) {
        made->schemes[index] = bytes_of(env, (*env)->GetObjectArrayElement(env, schemes, index), NULL);
        if (!made->schemes[index]) { /* without the scheme the loader would take all URLs */
            destroy(made);
            failed(env, SDIMAGE_STATUS_INVALID_ARGUMENT, NULL);
            return 0;
        }
        made->count++;
    }
    sdimage_status status = sdimage_loader_new_custom("java", &table, made, destroy, &loader, &error);
    return failed(env, status, error) ? 0 : address(loader);
}

void NATIVE(sinkExpect)(JNIEnv *env, jclass self, jlong sink, jlong length) {
    (void)env;
    (void)self;
    sdimage_load_sink_set_expected_length(pointer(sink), (uint64_t)length);
}

/* Writes the first `length` bytes of the array, which may be longer. */
void NATIVE(sinkWrite)(JNIEnv *env, jclass self, jlong sink, jbyteArray array, jint length) {
    sdimage_error *error = NULL;
    (void)self;
    char *bytes = bytes_of(env, array, NULL);
    if (bytes) {
        sdimage_status status = sdimage_load_sink_write(pointer(sink), bytes, (size_t)length, &error);
        failed(env, status, error);
    }
    free(bytes);
}

jboolean NATIVE(sinkIsCancelled)(JNIEnv *env, jclass self, jlong sink) {
    (void)env;
    (void)self;
    return sdimage_load_sink_is_cancelled(pointer(sink));
}

/* Returns the status of a name, as Java knows them; INTERNAL_ERROR for an unknown one. */
static sdimage_status status_of(const char *name) {
    for (int status = -1; status > -128; status--)
        if (strcmp(sdimage_status_name((sdimage_status)status), name) == 0)
            return (sdimage_status)status;
    return SDIMAGE_STATUS_INTERNAL_ERROR;
}

/* Finishes a sink: successfully without a code, otherwise with an error. */
void NATIVE(sinkFinish)(JNIEnv *env, jclass self, jlong sink, jstring code, jbyteArray message) {
    sdimage_error *error = NULL;
    (void)self;
    if (code) {
        const char *name = (*env)->GetStringUTFChars(env, code, NULL);
        char *line = bytes_of(env, message, NULL);
        error = sdimage_error_new(name ? status_of(name) : SDIMAGE_STATUS_INTERNAL_ERROR, line ? line : "");
        if (name)
            (*env)->ReleaseStringUTFChars(env, code, name);
        free(line);
        if (!error) /* without memory: releasing the sink is an error of the load, finishing it with NULL is not */
            return;
    }
    sdimage_load_sink_finish(pointer(sink), error);
    sdimage_error_unref(error);
}
