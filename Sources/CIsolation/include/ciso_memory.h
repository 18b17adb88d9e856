/* ciso_memory.h: memory of two processes: memfds. Sealed ones are written once, sent, and mapped. Pinned ones are sent
   once; the other process reads from its mapping what is written later. See ciso_worker.h for results. */
#ifndef CISO_MEMORY_H
#define CISO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a memfd of `size` bytes, all 0 and not sealed. EFBIG: the limit of files (RLIMIT_FSIZE) is lower. */
int ciso_memory_new(size_t size, int *descriptor);

/* Maps all of a memfd that this process made, to write into it. ciso_memory_unmap must precede ciso_memory_seal. */
int ciso_memory_map_to_write(int descriptor, size_t size, void **address);

/* Shrinks the memfd to `size` bytes, writes zeros where nothing was written, and seals size and contents forever.
   EBUSY: it is still mapped to write. */
int ciso_memory_seal(int descriptor, size_t size);

/* Checks a descriptor from another process: a memfd in ordinary memory with sealed size and contents, and without
   holes. Then the memory of its mapping neither changes nor disappears (SIGBUS), and reading it allocates nothing.
   EBADMSG: anything else. */
int ciso_memory_check(int descriptor, size_t *size);

/* Maps the first `size` bytes of a memfd that ciso_memory_check accepts; `size` is at least 1 and at most the size it
   returned. Writing into the mapping, if allowed, copies pages and is not seen by other mappings. */
int ciso_memory_map(int descriptor, size_t size, bool is_writable, void **address);

/* Removes a mapping of any of these functions; `size` is that of the mapping. */
void ciso_memory_unmap(void *address, size_t size);

/* Allocates the pages of a part of a memfd that ciso_memory_map_to_write mapped at `address`, and keeps their contents:
   three times as fast as the first writes. Nothing else writes there meanwhile. `offset` is a multiple of the page
   size. ENOMEM, ENOSPC: the system has no memory left; without this call, the first write raises SIGBUS. */
int ciso_memory_allocate(int descriptor, void *address, size_t offset, size_t size);

/* Seals the size of a memfd, and its pages: none that was allocated disappears. Existing mappings may be written, other
   writes are refused. EINVAL: the kernel has no F_SEAL_FUTURE_WRITE (Linux 5.1), as some that run in user space. */
int ciso_memory_pin(int descriptor);

/* Maps a memfd of another process, of which ciso_memory_pin has made exactly `size` bytes. Forked children do not have
   the mapping. The other process may change what is read there. EBADMSG: anything else. */
int ciso_memory_map_pinned(int descriptor, size_t size, const void **address);

/* Returns the offset of the first page, from that of `offset` on, that is not allocated: reading it from a mapping may
   raise SIGBUS. The size of the memfd if there is none; 0 for errors. */
size_t ciso_memory_first_hole(int descriptor, size_t offset);

#endif
