/* The few functions of the GNU C library that Swift's own module of it does not show. */
#ifndef CSYSTEM_H
#define CSYSTEM_H

/* Names the calling thread, at most 15 characters. */
void csys_name_thread(const char *name);

/* Processors in the CPU set of this process, at least 1. */
int csys_available_processors(void);

/* Open-file-description locks (fcntl(2), F_OFD_SETLK): 0, or errno; EAGAIN when another holds it. */
int csys_try_lock_file(int descriptor, int exclusive);

/* A descriptor that is readable while signalled (eventfd(2), non-blocking, closed on exec); -errno when none is to be had. */
int csys_event_descriptor(void);
void csys_signal_event(int descriptor);
void csys_clear_event(int descriptor);

#endif
