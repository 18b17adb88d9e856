/* Which variants of a kernel are compiled; the loader picks one by CPU. */
#ifndef SDPX_CLONES_H
#define SDPX_CLONES_H

#if defined(__x86_64__) && defined(__linux__)
#define SDPX_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SDPX_CLONES
#endif

#endif
