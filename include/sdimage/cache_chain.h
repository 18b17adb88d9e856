/* cache_chain.h: chains of caches that act as one cache, such as a small fast one over a large shared one.
 *
 * A chain is an sdimage_cache for managers and requests, and may be a member of another chain. Its members may be
 * built-in caches, caches of the host and chains; the one added last is the highest. Class: synchronised. */
#ifndef SDIMAGE_CACHE_CHAIN_H
#define SDIMAGE_CACHE_CHAIN_H

#include "base.h"
#include "cache.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The members used by an operation, and their order. */
typedef enum SDIMAGE_ENUM sdimage_cache_chain_policy {
    SDIMAGE_CACHE_CHAIN_POLICY_SERIAL = 0,       /* the highest first; a query ends with the first hit */
    SDIMAGE_CACHE_CHAIN_POLICY_CONCURRENT = 1,   /* all at once; a query ends with the first hit of any */
    SDIMAGE_CACHE_CHAIN_POLICY_HIGHEST_ONLY = 2, /* the one added last */
    SDIMAGE_CACHE_CHAIN_POLICY_LOWEST_ONLY = 3   /* the one added first */
} sdimage_cache_chain_policy;

/* The operations of a chain. */
typedef enum SDIMAGE_ENUM sdimage_cache_chain_operation {
    SDIMAGE_CACHE_CHAIN_OPERATION_ALL = 0,      /* every operation */
    SDIMAGE_CACHE_CHAIN_OPERATION_QUERY = 1,    /* default SERIAL */
    SDIMAGE_CACHE_CHAIN_OPERATION_STORE = 2,    /* default HIGHEST_ONLY */
    SDIMAGE_CACHE_CHAIN_OPERATION_REMOVE = 3,   /* default CONCURRENT */
    SDIMAGE_CACHE_CHAIN_OPERATION_CONTAINS = 4, /* default SERIAL */
    SDIMAGE_CACHE_CHAIN_OPERATION_CLEAR = 5     /* default CONCURRENT */
} sdimage_cache_chain_operation;

/* Creates a chain without members, which finds nothing and stores nothing. Errors: NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_chain(sdimage_cache **chain, sdimage_error **error);

/* Creates a chain for a fleet of processes: `local`, memory over disk, on top of `shared`, such as one of the remote
 * caches of the plug-ins. Hits of `shared` alone are also stored in `local`, and both members store; otherwise it is a
 * chain like any other. Errors: NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_cache_new_tiered(sdimage_cache *local, sdimage_cache *shared, sdimage_cache **cache,
                                                    sdimage_error **error);

/* Adds a member as the highest; an existing member moves there. Errors: INVALID_ARGUMENT (`chain` is not a chain, or
 * would contain itself). */
SDIMAGE_API sdimage_status sdimage_cache_chain_add(sdimage_cache *chain, sdimage_cache *member, sdimage_error **error);
/* Removes a member. NOT_FOUND when it is not in the chain. */
SDIMAGE_API sdimage_status sdimage_cache_chain_remove(sdimage_cache *chain, const sdimage_cache *member,
                                                      sdimage_error **error);

/* Sets the policy of an operation, from the next one on. Memory parts are always queried one after the other, because
 * they return at once. */
SDIMAGE_API sdimage_status sdimage_cache_chain_set_policy(sdimage_cache *chain, sdimage_cache_chain_operation operation,
                                                          sdimage_cache_chain_policy policy, sdimage_error **error);

/* Stores hits of a lower member in the members above it. Default false. */
SDIMAGE_API sdimage_status sdimage_cache_chain_set_promote(sdimage_cache *chain, bool promotes, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
