/* siphash.h: the hash SipHash-2-4, for tables whose keys come from files: names that collide can only be chosen with the
 * key of the hash. */
#ifndef SDPHOTO_SIPHASH_H
#define SDPHOTO_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the hash of 64 bits (Aumasson and Bernstein, "SipHash: a fast short-input PRF"). */
uint64_t sdphoto_siphash(const uint64_t key[2], const void *bytes, size_t length);

#endif
