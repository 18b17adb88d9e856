/* glue.h: C calls that take functions, which cgo cannot pass. Go handles are passed as numbers. */
#ifndef SDIMAGE_GO_GLUE_H
#define SDIMAGE_GO_GLUE_H

#include <sdimage.h>
#include <sdimage/sys.h>

sdimage_status glue_load(sdimage_manager *manager, const sdimage_request *request, uintptr_t handle,
                         sdimage_task **task, sdimage_error **error);
sdimage_status glue_loader(uintptr_t handle, sdimage_loader **loader, sdimage_error **error);

#endif
