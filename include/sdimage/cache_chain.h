/* cache_chain.h: several caches that act as one, such as a small fast one over a large shared one.
 *
 * A chain is an sdimage_cache: it is given to a manager or a request, and may be in another chain. Its members may be
 * built-in caches, caches of the host and chains; the one added last is the highest. Class: synchronised. */
#ifndef SDIMAGE_CACHE_CHAIN_H
#define SDIMAGE_CACHE_CHAIN_H

#include "base.h"
#include "cache.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the members share an operation. */
typedef enum SDIMAGE_ENUM sdimage_cache_policy {
    SDIMAGE_CACHE_POLICY_SERIAL = 0,       /* the highest first; a query ends with the first hit */
    SDIMAGE_CACHE_POLICY_CONCURRENT = 1,   /* all at once; a query ends with whoever is first to have it */
    SDIMAGE_CACHE_POLICY_HIGHEST_ONLY = 2, /* the one added last */
    SDIMAGE_CACHE_POLICY_LOWEST_ONLY = 3   /* the one added first */
} sdimage_cache_policy;

/* What caches in a chain are asked for. */
typedef enum SDIMAGE_ENUM sdimage_cache_operation {
    SDIMAGE_CACHE_OPERATION_QUERY = 0,    /* default SERIAL */
    SDIMAGE_CACHE_OPERATION_STORE = 1,    /* default HIGHEST_ONLY */
    SDIMAGE_CACHE_OPERATION_REMOVE = 2,   /* default CONCURRENT */
    SDIMAGE_CACHE_OPERATION_CONTAINS = 3, /* default SERIAL */
    SDIMAGE_CACHE_OPERATION_CLEAR = 4     /* default CONCURRENT */
} sdimage_cache_operation;

/* A chain without members, in which nothing is found and nothing is kept. Errors: NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_chain(sdimage_cache **chain, sdimage_error **error);

/* The chain of a fleet: `local`, memory over disk, on top of `shared`, such as one of the remote caches of the
 * plug-ins. What only `shared` has is kept in `local` as well, and both store; otherwise it is a chain like any other.
 * Errors: NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_tiered(sdimage_cache *local, sdimage_cache *shared, sdimage_cache **cache,
                                                    sdimage_error **error);

/* Adds a member as the highest; one that is in already moves. Errors: INVALID_ARGUMENT (`chain` is no chain, or would
 * hold itself). */
SDIMAGE_API sdimage_status sdimage_cache_chain_add(sdimage_cache *chain, sdimage_cache *member, sdimage_error **error);
/* Takes a member out. NOT_FOUND when it is not in the chain. */
SDIMAGE_API sdimage_status sdimage_cache_chain_remove(sdimage_cache *chain, const sdimage_cache *member,
                                                      sdimage_error **error);

/* From the next operation on. Memory is always asked one after the other, because it answers at once. */
SDIMAGE_API sdimage_status sdimage_cache_chain_set_policy(sdimage_cache *chain, sdimage_cache_operation operation,
                                                          sdimage_cache_policy policy, sdimage_error **error);

/* Whether what a lower member has found is stored in the members above it. Default false. */
SDIMAGE_API sdimage_status sdimage_cache_chain_set_promotes(sdimage_cache *chain, bool promotes, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
