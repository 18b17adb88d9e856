/* modules.h: the functions of modules and plug-ins that create their coders, which the module map of the public
 * headers omits. */
#include "../../../include/sdimage/plugins/av.h"
#include "../../../include/sdimage/plugins/avif.h"
#include "../../../include/sdimage/plugins/heif.h"
#include "../../../include/sdimage/plugins/jxl.h"
#include "../../../include/sdimage/plugins/pdf.h"
#include "../../../include/sdimage/plugins/svg.h"
#include "../../../include/sdimage/plugins/tiff.h"
