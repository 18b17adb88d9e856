/* filter.h: the filter of system calls; internal to this folder. */
#ifndef CISO_INTERNAL_FILTER_H
#define CISO_INTERNAL_FILTER_H

/* Installs the filter of system calls for all threads. Calls that it traps send SIGSYS. PR_SET_NO_NEW_PRIVS must be
   set. Returns 0, ENOSYS (no seccomp, or no list for this processor), EAGAIN or errno. */
int ciso_filter_calls(void);

#endif
