/* ciso_files.h: files that a worker may open in its sandbox. See ciso_worker.h for results. */
#ifndef CISO_FILES_H
#define CISO_FILES_H

/* Opens a file for the sandbox: ciso_enter keeps it, and there open(2) and openat(2) for reading by exactly this path
   return another descriptor of it, which shares its position; stat(2) and access(2) find it. Examples are fonts, and
   files of the system that ciso_prepare adds: `/sys/devices/system/cpu/online`, `/proc/loadavg` and
   `/proc/sys/vm/overcommit_memory`. Not during or after ciso_enter. Errors of open(2); ENOSPC: more than
   CISO_MAX_FILES. */
#define CISO_MAX_FILES 8192
int ciso_keep_file(const char *path);

/* The same for a file that may be missing: opening it in the sandbox then fails with ENOENT, in place of ending the
   process. */
int ciso_keep_file_or_absence(const char *path);

#endif
