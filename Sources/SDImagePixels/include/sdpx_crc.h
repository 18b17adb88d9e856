/* sdpx_crc.h: cyclic redundancy checks of 32 bits. */
#ifndef SDPX_CRC_H
#define SDPX_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Return the checksum of bytes that follow others whose checksum is `before`; 0 for none. CRC-32 is that of PNG (third
   edition, 5.5) and zlib, CRC-32C that of iSCSI (RFC 3720, appendix B.4). */
uint32_t sdpx_crc32(uint32_t before, const void *bytes, size_t length);
uint32_t sdpx_crc32c(uint32_t before, const void *bytes, size_t length);

#endif
