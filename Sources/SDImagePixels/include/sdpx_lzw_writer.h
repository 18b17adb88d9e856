/* sdpx_lzw_writer.h: the LZW encoder of GIF. */
#ifndef SDPX_LZW_WRITER_H
#define SDPX_LZW_WRITER_H

#include <stddef.h>
#include <stdint.h>

/* The LZW encoder of GIF (GIF89a, appendix F): the table is cleared when it is full. */
typedef struct sdpx_lzw_writer sdpx_lzw_writer;

/* Return the size of a writer in bytes, aligned to 8, and the maximum output for that many pixels, or for the end. */
size_t sdpx_lzw_writer_size(void);
size_t sdpx_lzw_writer_bound(size_t pixels);

/* The first begins: `minimum_size` is 2 to 8, and indices have no more bits. Then rows are passed in order; each call
   returns the number of bytes of sub-blocks, lengths included, that it wrote. */
void sdpx_lzw_writer_start(sdpx_lzw_writer *lzw, unsigned minimum_size);
size_t sdpx_lzw_write(sdpx_lzw_writer *lzw, uint8_t *to, const uint8_t *indices, size_t pixels);
size_t sdpx_lzw_writer_finish(sdpx_lzw_writer *lzw, uint8_t *to);

#endif
