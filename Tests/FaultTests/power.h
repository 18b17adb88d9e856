/* power.h: what a power cut leaves of files: of every page written since the last sync either the old contents or the
 * new.
 *
 * Names of files are taken to survive, as a journalling file system keeps them in order; memory that processes share
 * (`-shm`) does not. Not for several threads at once. */
#ifndef POWER_H
#define POWER_H

#include <stdint.h>
#include <sys/types.h>

/* Before a call that writes `length` bytes at `offset` (-1: where the file's position is), or cuts the file there
 * (length -1). */
void power_keep(int file, off_t offset, off_t length);

/* Behind a sync. */
void power_synced(int file);

/* Ends the process. Pages are chosen by `seed`; with a seed divisible by three all that was not synced is lost. */
_Noreturn void power_cut(unsigned seed);

#endif
