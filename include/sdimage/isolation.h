/* isolation.h: decoding in worker processes, for images of strangers.
 *
 *   sdimage_set_isolation(SDIMAGE_ISOLATION_RISKY);
 *
 * A coder that decodes in a worker cannot crash or block this process, and a bug in its library gives an attacker
 * little more than the pixels of that image: the worker runs in a sandbox without access to files, the network and
 * other processes. This process does not open the modules and plug-ins of such coders; it takes their formats from the
 * first bytes. Encoded bytes are copied into messages or shared memory. Pixels of at most 128 MiB, and of frames on
 * whose canvas the next frame is drawn, are copied from the worker; those of larger images are shared. Pixels that a
 * coder lends are copied in the worker first.
 *
 * A worker is the program libexec/sdimage/sdimage-decoder, or the one named by the environment variable
 * SDIMAGE_DECODER_PATH, which a program with more rights than its caller ignores. Workers are started on demand, at
 * most one for each processor, and decode one image at a time; decodes wait for a worker by the priority of their
 * loads. They end after 30 s of idling and with the last manager and cache. They send no SIGCHLD, are no zombies, and
 * are not seen by wait(2). A forked child starts its own.
 *
 * Everything can be decoded in workers: stills, headers, progressive images, animations and vector images. Further
 * errors of isolated decodes:
 *
 *   DECODER_CRASHED   the worker ended, or broke its rules; or the image did so twice within the last five minutes,
 *                     here or in another process with the folder of an open disk cache, and is not tried again
 *   TIMEOUT           the worker was killed at the time limit (sdimage_decode_options_set_max_work_ms), which does not
 *                     count the time of waiting for a worker, nor that in a worker that ended and had decoded
 *                     other images before; or a worker did not start within 10 s
 *   NO_MEMORY         no descriptor, process or memory is left for a worker
 *   TOO_LARGE         the worker used more memory than it may
 *   UNSUPPORTED       no worker can be started (sdimage_set_isolation_fallback)
 *
 * A cancelled decode has 50 ms to end before its worker is killed. Values of the host for coders
 * (sdimage_decode_options_set_options) are passed on, except for pointers. Messages of coders to the log are lost.
 * Encoding takes place in this process. */
#ifndef SDIMAGE_ISOLATION_H
#define SDIMAGE_ISOLATION_H

#include "base.h"
#include "data.h"
#include "decode.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The coders that decode in workers. */
typedef enum SDIMAGE_ENUM sdimage_isolation {
    SDIMAGE_ISOLATION_DEFAULT = 0, /* in decode options: that of the process */
    SDIMAGE_ISOLATION_NONE = 1,    /* none: the default of the process */
    SDIMAGE_ISOLATION_RISKY = 2,   /* those of modules and plug-ins, and custom coders that declare themselves risky */
    SDIMAGE_ISOLATION_ALL = 3      /* all */
} sdimage_isolation;

/* Sets the isolation of the process, for decodes whose options do not set their own. It takes effect with the next
 * decode; set it before sdimage_plugins_load_all, which opens plug-ins that are not isolated. DEFAULT counts as NONE,
 * an unknown value as ALL. Call it from any thread. */
SDIMAGE_API void sdimage_set_isolation(sdimage_isolation isolation);
/* Stores the isolation of the process; never DEFAULT. */
SDIMAGE_API void sdimage_get_isolation(sdimage_isolation *isolation);

/* Decodes in this process if no worker can be started: sdimage-decoder is not installed, the system forbids
 * processes or their sandbox, or a custom coder exists in this process only. Not where the system has no process,
 * descriptor or memory left: that is NO_MEMORY. Default false: such decodes are UNSUPPORTED. */
SDIMAGE_API void sdimage_set_isolation_fallback(bool decode_in_process);
/* Returns true if this process decodes where no worker can be started. */
SDIMAGE_API bool sdimage_has_isolation_fallback(void);

/* Sets the isolation of decodes with these options. DEFAULT, the default, means that of the process; unknown values
 * count as ALL. For loads: sdimage_request_set_decode_options. */
SDIMAGE_API void sdimage_decode_options_set_isolation(sdimage_decode_options *options, sdimage_isolation isolation);
/* Returns the isolation set; DEFAULT if none was. */
SDIMAGE_API sdimage_isolation sdimage_decode_options_isolation(const sdimage_decode_options *options);

/* Counts of this process since its start; `running` and `waiting` are numbers now. */
typedef struct sdimage_isolation_statistics {
    size_t size;       /* sizeof this structure; set by the caller */
    uint64_t running;  /* workers that run */
    uint64_t started;  /* workers */
    uint64_t crashes;  /* workers that ended during a call, or broke their rules */
    uint64_t kills;    /* workers killed because of a time limit or a cancellation */
    uint64_t timeouts; /* decodes that exceeded their time limit */
    uint64_t refused;  /* decodes of images that had crashed workers */
    uint64_t calls;    /* results of workers: images, frames and headers */
    uint64_t waiting;  /* decodes that wait for a worker */
} sdimage_isolation_statistics;

/* Fills in the counts, as far as the structure of the caller reaches. Errors: INVALID_ARGUMENT. */
SDIMAGE_API sdimage_status sdimage_isolation_get_statistics(sdimage_isolation_statistics *statistics,
                                                            sdimage_error **error);
/* Returns the counts as a JSON object in UTF-8 with the names of the fields, which the caller owns. Errors:
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_isolation_statistics_to_json(sdimage_data **json, sdimage_error **error);

/* Ends the idle workers, for example before a program reports its children or memory. Returns when they, and workers
 * killed at a time limit or by a cancellation before, are no processes any more. */
SDIMAGE_API void sdimage_isolation_end_idle(void);

/* The main function of sdimage-decoder: serves the host that started this process, over descriptor 3, and returns the
 * exit status when that ends. Returns an error at once in a process that no host has started. */
SDIMAGE_API int sdimage_isolation_main(void);

#ifdef __cplusplus
}
#endif

#endif
