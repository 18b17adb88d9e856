/* vm.c: the virtual machine: classes, threads, exceptions, arrays; and native methods of the whole library. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* Set by JNI_OnLoad before any other function runs; constant afterwards. */
callbacks java;

/* The virtual machine, and the key whose destructor detaches threads. */
static JavaVM *machine;
static pthread_key_t attachment;

/* Destructor of the key: called at the end of a thread that `attached` has attached. */
static void detach(void *unused) {
    (void)unused;
    (*machine)->DetachCurrentThread(machine);
}

JNIEnv *attached(void) {
    JNIEnv *env = NULL;
    if ((*machine)->GetEnv(machine, (void **)&env, JNI_VERSION_1_8) == JNI_OK)
        return env;
    JavaVMAttachArgs name = {JNI_VERSION_1_8, (char *)"sdimage", NULL};
    if ((*machine)->AttachCurrentThreadAsDaemon(machine, (void **)&env, &name) != JNI_OK)
        return NULL;
    pthread_setspecific(attachment, env); /* detaches the thread when it ends, which the virtual machine requires */
    return env;
}

void ignore_exception(JNIEnv *env) {
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        (*env)->ExceptionClear(env);
    }
}

void on_destroy(void *token) {
    JNIEnv *env = attached();
    if (!env)
        return;
    jthrowable pending = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    (*env)->CallStaticVoidMethod(env, java.native, java.on_destroy, address(token));
    ignore_exception(env);
    if (pending)
        (*env)->Throw(env, pending);
    (*env)->DeleteLocalRef(env, pending);
}

/* Called once when Java loads the shim. JNI_ERR refuses it. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    JNIEnv *env;
    (void)reserved;
    machine = vm;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK || pthread_key_create(&attachment, detach) != 0)
        return JNI_ERR;
    jclass found = (*env)->FindClass(env, "org/sdimage/Native");
    if (!found)
        return JNI_ERR;
    /* Method ids stay valid as long as the class is loaded, which the reference ensures. */
    java.native = (*env)->NewGlobalRef(env, found);
    /* A method that Native.java lacks leaves an exception pending, which the last line finds. */
    java.exception =
        (*env)->GetStaticMethodID(env, found, "exception", "(Ljava/lang/String;[BI[BZ)Lorg/sdimage/SdimageException;");
    java.on_result = (*env)->GetStaticMethodID(env, found, "onResult", "(JJ)V");
    java.on_progress = (*env)->GetStaticMethodID(env, found, "onProgress", "(JJJ)V");
    java.on_load = (*env)->GetStaticMethodID(env, found, "onLoad", "(J[BJ)V");
    java.on_cancel = (*env)->GetStaticMethodID(env, found, "onCancel", "(JJ)V");
    java.on_destroy = (*env)->GetStaticMethodID(env, found, "onDestroy", "(J)V");
    return (*env)->ExceptionCheck(env) ? JNI_ERR : JNI_VERSION_1_8;
}

jobject exception_of(JNIEnv *env, sdimage_status status, const sdimage_error *error) {
    const char *message = sdimage_error_message(error), *url = sdimage_error_url(error);
    /* Names of statuses are ASCII. Other texts are arrays, because JNI strings are modified UTF-8. */
    jstring code = (*env)->NewStringUTF(env, sdimage_status_name(error ? sdimage_error_code(error) : status));
    jbyteArray text = array_of(env, message, strlen(message)), place = array_of(env, url, strlen(url));
    if (!code || !text || !place)
        return NULL;
    jobject made = (*env)->CallStaticObjectMethod(env, java.native, java.exception, code, text,
                                                  (jint)sdimage_error_http_status(error), place,
                                                  (jboolean)sdimage_error_is_transient(error));
    return (*env)->ExceptionCheck(env) ? NULL : made;
}

bool failed(JNIEnv *env, sdimage_status status, sdimage_error *error) {
    if (status >= 0)
        return false;
    /* A pending exception is the reason for the failure of the call. */
    jobject thrown = (*env)->ExceptionCheck(env) ? NULL : exception_of(env, status, error);
    sdimage_error_unref(error);
    if (thrown)
        (*env)->Throw(env, thrown);
    return true;
}

char *bytes_of(JNIEnv *env, jbyteArray array, size_t *length) {
    if (!array || (*env)->ExceptionCheck(env))
        return NULL;
    jsize count = (*env)->GetArrayLength(env, array);
    char *bytes = malloc((size_t)count + 1);
    if (!bytes) {
        failed(env, SDIMAGE_STATUS_NO_MEMORY, NULL);
        return NULL;
    }
    (*env)->GetByteArrayRegion(env, array, 0, count, (jbyte *)bytes);
    bytes[count] = 0;
    if (length)
        *length = (size_t)count;
    return bytes;
}

jbyteArray array_of(JNIEnv *env, const void *bytes, size_t length) {
    if (length > INT32_MAX) {
        failed(env, SDIMAGE_STATUS_TOO_LARGE, NULL);
        return NULL;
    }
    jbyteArray array = (*env)->NewByteArray(env, (jsize)length);
    if (array)
        (*env)->SetByteArrayRegion(env, array, 0, (jsize)length, bytes);
    return array;
}

jbyteArray array_of_text(JNIEnv *env, const char *text) {
    return array_of(env, text, strlen(text));
}

jbyteArray array_of_data(JNIEnv *env, sdimage_data *data) {
    jbyteArray array = array_of(env, sdimage_data_bytes(data), sdimage_data_length(data));
    sdimage_data_unref(data);
    return array;
}

void read_longs(JNIEnv *env, jlongArray array, jlong *values, jsize count) {
    memset(values, 0, (size_t)count * sizeof *values);
    if ((*env)->ExceptionCheck(env))
        return;
    jsize length = (*env)->GetArrayLength(env, array);
    (*env)->GetLongArrayRegion(env, array, 0, length < count ? length : count, values);
}

/* Releases the object of a handle. Java calls it once for each reference. */
void NATIVE(unref)(JNIEnv *env, jclass self, jint kind, jlong object) {
    (void)env;
    (void)self;
    switch (kind) {
    case HANDLE(IMAGE): sdimage_image_unref(pointer(object)); break;
    case HANDLE(RESULT): sdimage_result_unref(pointer(object)); break;
    case HANDLE(TASK): sdimage_task_unref(pointer(object)); break;
    case HANDLE(MANAGER): sdimage_manager_unref(pointer(object)); break;
    case HANDLE(CACHE): sdimage_cache_unref(pointer(object)); break;
    case HANDLE(LOADER): sdimage_loader_unref(pointer(object)); break;
    case HANDLE(SINK): sdimage_load_sink_unref(pointer(object)); break;
    case HANDLE(DATA): sdimage_data_unref(pointer(object)); break;
    default: break;
    }
}

jstring NATIVE(version)(JNIEnv *env, jclass self) {
    (void)self;
    return (*env)->NewStringUTF(env, sdimage_version());
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

jbyteArray NATIVE(doctor)(JNIEnv *env, jclass self) {
    sdimage_data *json = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = diagnose(&json, &error);
    return failed(env, status, error) ? NULL : array_of_data(env, json);
}

jbyteArray NATIVE(metrics)(JNIEnv *env, jclass self) {
    sdimage_data *text = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_metrics(&text, &error);
    return failed(env, status, error) ? NULL : array_of_data(env, text);
}
