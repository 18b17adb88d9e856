/* sdpx_cpu.h: the SIMD level of the kernels. */
#ifndef SDPX_CPU_H
#define SDPX_CPU_H

/* Sets of instructions for which kernels are compiled. Other architectures than x86-64 have the baseline only, which
   on aarch64 includes NEON. */
typedef enum { SDPX_CPU_BASELINE = 0, SDPX_CPU_AVX2 = 1, SDPX_CPU_AVX512 = 2 } sdpx_cpu_level;

/* Returns the level in use: the highest of the CPU, or a lower limit set by the environment variable SDIMAGE_CPU, which
   is `baseline`, `avx2` or `avx512`. The variable is read once, when the library is loaded; other values are
   ignored. */
sdpx_cpu_level sdpx_cpu_current(void);

/* Returns the name of a level, as in SDIMAGE_CPU. */
const char *sdpx_cpu_name(sdpx_cpu_level level);

/* Limits the level, for tests: the lower one of `level` and that of the CPU is used from now on and returned. */
sdpx_cpu_level sdpx_cpu_limit(sdpx_cpu_level level);

#endif
