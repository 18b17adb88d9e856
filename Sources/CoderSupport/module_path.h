/* module_path.h: the file of a module or plug-in, from which a worker process makes its coder (sys/coder.h). */
#ifndef SDCS_MODULE_PATH_H
#define SDCS_MODULE_PATH_H

/* Entry of the coder's function table. NULL if the file is unknown. */
const char *sdcs_module_path(void *user_data);

#endif
