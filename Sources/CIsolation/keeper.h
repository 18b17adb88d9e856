/* keeper.h: the process between host and worker; internal to this folder. */
#ifndef CISOLATION_KEEPER_H
#define CISOLATION_KEEPER_H

#include <stddef.h>
#include <sys/socket.h>

/* Stacks of the two processes that use the memory of the host, the worker until its exec. */
#define CISO_STACK ((size_t)64 << 10)

/* Memory that host and keeper share. The host reads the results after the keeper has ended. */
struct ciso_keeper {
    int id;           /* process id of the keeper */
    int code, status; /* results: si_code and si_status of waitid(2); code 0: the keeper was killed */
};

/* Descriptors of the keeper. */
enum { CISO_HOST = 0, CISO_WORKER = 1, CISO_CHANNEL = 2 };

/* Sends a message into the channel (sendmsg(2)), waits until the worker or the host ended, kills the worker, stores
   its end, and exits. */
_Noreturn void ciso_keep(struct ciso_keeper *keeper, const struct msghdr *message);

#endif
