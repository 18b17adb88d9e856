/* power.h: simulates a power cut: every page written since the last sync has either its old or its new contents.
 *
 * File names are assumed to survive, because journalling file systems order them. Memory that processes share
 * (`-shm`) does not. Not thread-safe. */
#ifndef POWER_H
#define POWER_H

#include <stdint.h>
#include <sys/types.h>

/* Call before a write of `length` bytes at `offset` (-1: at the file's position), or before a truncation at `offset`
 * (length -1). */
void power_keep(int file, off_t offset, off_t length);

/* Call after a sync. */
void power_synced(int file);

/* Ends the process. `seed` selects the lost pages; with a seed divisible by three, all unsynced pages are lost. */
_Noreturn void power_cut(unsigned seed);

#endif
