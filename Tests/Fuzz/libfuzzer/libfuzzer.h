/* libfuzzer.h: what the fuzzing library of clang offers to a program with a main of its own
 * (https://llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library"); it comes without a header. */
#ifndef SDIMAGE_LIBFUZZER_H
#define SDIMAGE_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/* Runs until a limit of the command line is reached; ends the process when it finds something. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t length));

/* Changes `length` bytes in place into at most `capacity`; returns how many. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);

#endif
