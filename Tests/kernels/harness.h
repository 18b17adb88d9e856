/* harness.h: runs kernels on guarded memory and compares their results with a reference. */
#ifndef KERNELS_HARNESS_H
#define KERNELS_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* A test calls kernels for rows of `n` pixels or samples. It takes its memory from input() and output(), and passes
   everything that the kernels wrote or returned to one of the result functions. */
typedef void kernel_test(size_t n);

typedef struct {
    const char *name;
    kernel_test *run;
} test_entry;

/* Tables that end with a NULL name. */
extern const test_entry pixel_tests[], resize_tests[], filter_tests[], codec_tests[], yuv_tests[];

/* Return memory of `size` bytes that touches an inaccessible page: at its end, or, in every second run, at its start.
   Input is random, the same in every run, and so are the bytes of output before a kernel writes it. */
void *input(size_t size);
void *output(size_t size);
/* Floats between `low` and `high`. */
float *input_floats(size_t count, float low, float high);
/* Ends the use of all memory taken so far. */
void reuse_memory(void);
/* Memory aligned to 64 bytes, zeroed. */
void *aligned_memory(size_t size);
/* A random number below `limit`. */
uint32_t random_below(uint32_t limit);

/* Compare results with those of the reference: exactly; samples of 8 and 16 bits within a distance; floats relative to
   their magnitude, at least 1. */
void result(const void *bytes, size_t size);
void result8(const uint8_t *samples, size_t count, int distance);
void result16(const uint16_t *samples, size_t count, int distance);
void result_floats(const float *values, size_t count, float distance);
void result_number(uint64_t number);

#endif
