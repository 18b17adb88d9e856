/* sdpx_hash.h: hashes. */
#ifndef SDPX_HASH_H
#define SDPX_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64-bit hash for equal contents, fast on long inputs. It is not secure: an attacker can construct collisions, so
   callers compare the contents too. */
uint64_t sdpx_hash64(const void *bytes, size_t length);

/* SipHash-1-3 (Aumasson and Bernstein, 2012), a keyed 64-bit hash for tables whose keys an attacker may choose. Without
   the key no way is known to find collisions faster than by trying. */
uint64_t sdpx_sip_hash(const void *bytes, size_t length, uint64_t key0, uint64_t key1);

#endif
