/* fnv.h: the hash FNV-1a, for tables of this process. It does not resist chosen collisions. */
#ifndef SDCS_FNV_H
#define SDCS_FNV_H

#include <stddef.h>
#include <stdint.h>

/* Returns the hash of 64 bits (draft-eastlake-fnv, section 2). */
uint64_t sdcs_fnv1a(const void *bytes, size_t length);

#endif
