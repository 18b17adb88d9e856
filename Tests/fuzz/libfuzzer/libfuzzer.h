/* libfuzzer.h: the functions of clang's fuzzing library for a program with its own main function
 * (https://llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library"), which has no header of its own. */
#ifndef SDIMAGE_LIBFUZZER_H
#define SDIMAGE_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/* Runs until a limit of the command line is reached; ends the process when it finds a fault. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t length));

/* Mutates `length` bytes in place into at most `capacity` bytes; returns their number. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);

#endif
