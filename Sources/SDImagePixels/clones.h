/* clones.h: the CPU variants of a kernel to compile; the loader selects one. */
#ifndef SDPX_CLONES_H
#define SDPX_CLONES_H

#if defined(__x86_64__) && defined(__linux__)
#define SDPX_HAS_CLONES 1
#endif

/* The thread sanitizer is not initialized when the loader selects a variant. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef SDPX_HAS_CLONES
#endif
#endif

#ifdef SDPX_HAS_CLONES
#define SDPX_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SDPX_CLONES
#endif

#endif
