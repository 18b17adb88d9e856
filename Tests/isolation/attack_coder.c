#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attack_coder.h"
#include "attacks.h"

/* The descriptor of the socket in every worker. */
enum { SOCKET = 3 };

static char module_path[PATH_MAX];

void find_attack_module(void) {
    ssize_t length = readlink("/proc/self/exe", module_path, sizeof module_path - 1);
    char *slash = length > 0 ? memrchr(module_path, '/', (size_t)length) : NULL;
    if (slash != NULL && slash - module_path + sizeof "/attack.so" <= sizeof module_path)
        strcpy(slash, "/attack.so");
}

static const char *module(void *user_data) {
    (void)user_data;
    return module_path;
}

static bool is_attack(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length > 7 && memcmp(bytes, "ATTACK ", 7) == 0;
}

/* --- Attacks that know the worker's socket and the coder's results. */

/* Sends datagrams that are no messages. */
static void send_noise(void) {
    char bytes[100];
    memset(bytes, 0xA5, sizeof bytes);
    for (int i = 0; i < 20; i++)
        if (send(SOCKET, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            break;
}

/* The same by the system call that the sandbox allows. */
static ssize_t send_message(const void *bytes, size_t length, int descriptor, size_t count) {
    static union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(253 * sizeof(int))];
    } control;
    struct iovec part = {(void *)bytes, length};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = count > 0 ? control.bytes : NULL};
    header.msg_controllen = count > 0 ? CMSG_SPACE(count * sizeof(int)) : 0;
    control.header = (struct cmsghdr){CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    for (size_t i = 0; i < count; i++)
        memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &descriptor, sizeof descriptor);
    return sendmsg(SOCKET, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void send_garbage(void) {
    char bytes[200];
    memset(bytes, 0xA5, sizeof bytes);
    send_message(bytes, sizeof bytes, 0, 0);
}

static void send_empty_message(void) {
    send_message("", 0, 0, 0);
}

/* Thousands of descriptors, until the socket is full. */
static void send_descriptors(void) {
    for (int i = 0; i < 100; i++)
        if (send_message("x", 1, 0, 253) < 0)
            break;
}

/* More messages than the socket holds. */
static void fill_socket(void) {
    static const char bytes[4096];
    while (send_message(bytes, sizeof bytes, 0, 0) >= 0) {
    }
}

static void close_socket(void) {
    close(SOCKET);
}

static void *send_late(void *argument) {
    usleep(20000);
    send_garbage();
    return argument;
}

/* A message after the reply of the call. */
static void send_after_reply(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, send_late, NULL) == 0)
        pthread_detach(thread);
}

static void *sleep_long(void *argument) {
    for (;;)
        sleep(1000);
    return argument;
}

/* As many threads as there may be, then a loop. */
static void start_threads(void) {
    pthread_t thread;
    while (pthread_create(&thread, NULL, sleep_long, NULL) == 0) {
    }
    sleep_long(NULL);
}

/* Ends as C++ programs do when memory is missing. */
static void allocate_or_abort(void) {
    if (malloc((size_t)100 << 30) == NULL)
        abort();
}

/* Writes into all memory that it gets. */
static void fill_memory(void) {
    char *block;
    while ((block = malloc(1 << 20)) != NULL)
        memset(block, 1, 1 << 20);
}

/* Decodes of this process. */
static int decode_count;

/* Crashes after a second in a worker that decoded before; takes all of its time in a new one. */
static void abort_if_used(void) {
    if (decode_count == 1)
        sleep_long(NULL);
    usleep(1000000);
    abort();
}

#define ATTACK(function)                                                                                               \
    { #function, function }

static const attack own_attacks[] = {
    ATTACK(send_noise),        ATTACK(send_garbage),  ATTACK(send_empty_message), ATTACK(send_descriptors),
    ATTACK(fill_socket),       ATTACK(close_socket),  ATTACK(send_after_reply),   ATTACK(start_threads),
    ATTACK(allocate_or_abort), ATTACK(abort_if_used),
};

static sdimage_status decode(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                             sdimage_image **image, sdimage_error **error) {
    char name[64] = "";
    (void)user_data, (void)options;
    decode_count++;
    for (size_t i = 7; i < length && i - 7 < sizeof name - 1 && ((const char *)bytes)[i] != '\n'; i++)
        name[i - 7] = ((const char *)bytes)[i];
    bool is_large = strcmp(name, "large_picture") == 0,
         is_known = strcmp(name, "picture") == 0 || is_large || run_attack(name);
    for (size_t i = 0; i < sizeof own_attacks / sizeof own_attacks[0] && !is_known; i++)
        if ((is_known = strcmp(own_attacks[i].name, name) == 0))
            own_attacks[i].run();
    const char *level = getenv("SDIMAGE_CPU");
    is_known = is_known || (strcmp(name, "baseline_picture") == 0 && level && strcmp(level, "baseline") == 0);
    if (strcmp(name, "allocate") == 0 && malloc((size_t)100 << 30) == NULL) {
        *error = sdimage_error_new(SDIMAGE_STATUS_NO_MEMORY, "attack: no memory");
        return SDIMAGE_STATUS_NO_MEMORY;
    }
    if (strcmp(name, "fill_memory") == 0) {
        fill_memory();
        *error = sdimage_error_new(SDIMAGE_STATUS_NO_MEMORY, "attack: no memory");
        return SDIMAGE_STATUS_NO_MEMORY;
    }
    if (!is_known) {
        *error = sdimage_error_new(SDIMAGE_STATUS_BAD_DATA, "attack: unknown");
        return SDIMAGE_STATUS_BAD_DATA;
    }
    void *pixels;
    size_t stride;
    /* The pixels of a large one are passed as memory of their own. */
    uint32_t side = is_large ? ATTACK_LARGE_SIDE : ATTACK_SIDE;
    sdimage_status status =
        sdimage_image_new_uninitialized(side, side, SDIMAGE_PIXEL_FORMAT_RGBA8, image, &pixels, &stride, error);
    if (status >= 0)
        memset(pixels, ATTACK_BYTE, stride * side);
    return status;
}

sdimage_status sdimage_attack_coder_new(sdimage_coder **coder, sdimage_error **error) {
    const sdimage_coder_vtable table = {
        .size = sizeof table, .can_decode = is_attack, .decode = decode, .is_risky = true, .module = module};
    return sdimage_coder_new_custom("attack", &table, NULL, NULL, coder, error);
}
