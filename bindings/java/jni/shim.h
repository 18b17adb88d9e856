/* shim.h: the shared declarations of the JNI shim. Objects of the library are passed as addresses in jlong. */
#ifndef SDIMAGE_JNI_SHIM_H
#define SDIMAGE_JNI_SHIM_H

#include <jni.h>
#include <sdimage.h>
#include <sdimage/sys.h>
#include <string.h>

/* Written by javac: the native methods, and the constants of these classes. */
#include "org_sdimage_DecodeOptions.h"
#include "org_sdimage_EncodeOptions.h"
#include "org_sdimage_Handle.h"
#include "org_sdimage_Image.h"
#include "org_sdimage_Native.h"
#include "org_sdimage_Request.h"

/* The names of native methods and of constants, as javac generates them. */
#define NATIVE(name) JNICALL Java_org_sdimage_Native_##name
#define DECODE(name) org_sdimage_DecodeOptions_##name
#define ENCODE(name) org_sdimage_EncodeOptions_##name
#define HANDLE(name) org_sdimage_Handle_##name
#define IMAGE(name) org_sdimage_Image_##name
#define REQUEST(name) org_sdimage_Request_##name

/* The class org.sdimage.Native and its methods that the shim calls. */
typedef struct callbacks {
    jclass native;
    jmethodID exception, on_result, on_progress, on_load, on_cancel, on_destroy;
} callbacks;

extern callbacks java;

/* The environment of this thread, which is attached as a daemon until it ends; NULL while the virtual machine shuts
 * down. */
JNIEnv *attached(void);
/* Clears the exception of a call from a thread of the library: none may stay pending there. */
void ignore_exception(JNIEnv *env);
/* Releases the object behind a token: the `destroy` of loads and loaders. Also called when a call fails, possibly with
 * an exception pending, which stays. */
void on_destroy(void *token);

/* Convert between the addresses that Java holds and pointers. */
static inline void *pointer(jlong address) {
    return (void *)(uintptr_t)address;
}
static inline jlong address(const void *object) {
    return (jlong)(uintptr_t)object;
}

/* A number among whole numbers: the conversions of Double.doubleToLongBits and Double.longBitsToDouble. */
static inline jlong bits_of_double(double value) {
    jlong bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double double_of_bits(jlong bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Throws the error of a call, unless an exception is pending. Without an error object, the status tells the reason.
 * Releases `error`. Returns true if the status was a failure. */
bool failed(JNIEnv *env, sdimage_status status, sdimage_error *error);
/* Makes an exception without throwing it; NULL, with another exception pending, if that fails. `error` is borrowed. */
jobject exception_of(JNIEnv *env, sdimage_status status, const sdimage_error *error);

/* A NUL-terminated copy of an array, which the caller frees; NULL for null, or with an exception pending. */
char *bytes_of(JNIEnv *env, jbyteArray array, size_t *length);
/* Make an array; NULL with an exception pending if that fails, or for more than 2^31 - 1 bytes. */
jbyteArray array_of(JNIEnv *env, const void *bytes, size_t length);
jbyteArray array_of_text(JNIEnv *env, const char *text);
/* Releases `data`. */
jbyteArray array_of_data(JNIEnv *env, sdimage_data *data);
/* Reads at most `count` numbers into `values`; the others become 0, and all of them with an exception pending. */
void read_longs(JNIEnv *env, jlongArray array, jlong *values, jsize count);

/* Makes decode options of an array, for the caller to release. */
sdimage_decode_options *decode_options(JNIEnv *env, jlongArray array);

#endif
