/* support.c: common functions of the plug-in (see support.h). All may be called on any thread. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fail.h"

sdimage_status sdphoto_status_of(int number) {
    switch (number) {
    case ENOENT:
    case ENOTDIR: return SDIMAGE_STATUS_NOT_FOUND;
    case EACCES:
    case EPERM: return SDIMAGE_STATUS_PERMISSION_DENIED;
    case EISDIR:
    case ELOOP:
    case ENXIO: return SDIMAGE_STATUS_NOT_A_FILE;
    case ENOMEM: return SDIMAGE_STATUS_NO_MEMORY;
    case ENOSPC:
    case EDQUOT: return SDIMAGE_STATUS_DISK_FULL;
    default: return SDIMAGE_STATUS_IO_ERROR;
    }
}

sdimage_status sdphoto_fail_file(sdimage_error **error, int number) {
    char message[128];
    return sdcs_fail(error, sdphoto_status_of(number), strerror_r(number, message, sizeof message));
}

char *sdphoto_join(const char *a, const char *b, const char *c) {
    size_t lengths[3] = {a ? strlen(a) : 0, b ? strlen(b) : 0, c ? strlen(c) : 0}, total = 1;
    for (int i = 0; i < 3; i++)
        if (__builtin_add_overflow(total, lengths[i], &total))
            return NULL;
    char *joined = malloc(total);
    if (!joined)
        return NULL;
    memcpy(joined, a ? a : "", lengths[0]);
    memcpy(joined + lengths[0], b ? b : "", lengths[1]);
    memcpy(joined + lengths[0] + lengths[1], c ? c : "", lengths[2]);
    joined[total - 1] = 0;
    return joined;
}

bool sdphoto_grow(void *array, size_t count, size_t *capacity, size_t size) {
    void *pointer;
    if (count < *capacity)
        return true;
    /* The first allocation has 16 elements, each further one twice as many. */
    size_t wanted = *capacity ? *capacity : 8, bytes;
    if (__builtin_mul_overflow(wanted, 2, &wanted) || __builtin_mul_overflow(wanted, size, &bytes))
        return false;
    /* Copied, because the pointer has the type of the array. */
    memcpy(&pointer, array, sizeof pointer);
    pointer = realloc(pointer, bytes);
    if (!pointer)
        return false;
    memcpy(array, &pointer, sizeof pointer);
    *capacity = wanted;
    return true;
}

int64_t sdphoto_nanoseconds(struct timespec time) {
    int64_t nanoseconds;
    if (__builtin_mul_overflow((int64_t)time.tv_sec, (int64_t)1000000000, &nanoseconds) ||
        __builtin_add_overflow(nanoseconds, (int64_t)time.tv_nsec, &nanoseconds))
        return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return nanoseconds;
}

int64_t sdphoto_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return sdphoto_nanoseconds(now);
}

bool sdphoto_is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return length == 0 || (strncmp(path, folder, length) == 0 && path[length] == '/');
}
