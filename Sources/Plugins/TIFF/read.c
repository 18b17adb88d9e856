/* read.c: the rows of an image, from strips, tiles or libtiff's own conversion, to an image or the means of a thumbnail
 * (see read.h).
 *
 * One of four functions reads the pixels: read_rows, read_by_strips, read_all_tiles or read_by_library. Each checks the
 * deadline regularly. Blocks of separate sample planes lie one after the other in `block`. */
#include "read.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "samples.h"

/* Limit of the bytes held at once: rows, strips or tiles, what libtiff takes to decode them, rows of a thumbnail. */
static const uint64_t MOST_BLOCK = (uint64_t)256 << 20;

static const char TOO_LARGE[] = "tiff: strip or tile exceeds the limit of 256 MiB";

/* The largest window that libzstd accepts by default. */
static const uint64_t MOST_WINDOW = (uint64_t)128 << 20;

/* The state of reading one image. */
typedef struct reader {
    sdtiff_input *input;
    const sdtiff_layout *layout;
    const sdtiff_request *request;
    sdcs_rows rows; /* the output */
    sdtiff_unpacker unpacker;
    uint64_t held;        /* bytes beside the blocks that count towards their limit */
    uint8_t *block;       /* room for one strip or tile of each sample plane */
    uint64_t block_bytes; /* the size of each of them */
    uint32_t valid_rows;  /* rows before the first damage */
} reader;

/* Returns true for samples that enter the pixels. Further samples are skipped. */
static bool is_read(const sdtiff_layout *layout, uint16_t sample) {
    return sample < layout->colors || sample == layout->alpha;
}

/* Returns the number of blocks that are held at once. */
static uint16_t planes_of(const sdtiff_layout *layout) {
    return layout->is_separate ? (uint16_t)(layout->colors + (layout->alpha >= 0 ? 1 : 0)) : 1;
}

/* Returns the bytes of the samples of a strip or tile, capped, since larger blocks are refused anyway. */
static uint64_t block_size(const sdtiff_layout *layout, TIFF *file) {
    /* libtiff returns 0 for a size of more than 64 bits. */
    uint64_t size = layout->is_tiled ? TIFFTileSize64(file) : TIFFStripSize64(file);
    return size && size < MOST_BLOCK ? size : MOST_BLOCK;
}

/* Returns the bytes that libtiff 4.5 and its codecs hold while they decode a strip or tile, besides the samples that
 * they return. */
static uint64_t decoder_bytes(const sdtiff_layout *layout, TIFF *file) {
    uint64_t width = layout->is_tiled ? layout->tile_width : layout->width;
    uint64_t height = layout->is_tiled ? layout->tile_height : layout->rows_per_strip;
    uint64_t size = block_size(layout, file);
    uint16_t compression = COMPRESSION_NONE;
    int added = LERC_ADD_COMPRESSION_NONE;
    uint64_t pixels = height > MOST_BLOCK / width ? MOST_BLOCK : width * height;
    TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
    switch (compression) {
    /* The lengths of the runs in two rows. */
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4: return width * 16;
    /* Samples of 16 bits. */
    case COMPRESSION_PIXARLOG: return pixels * (layout->is_separate ? 1 : layout->samples) * 2;
    /* All samples, and the pixels of a lossless image. */
    case COMPRESSION_WEBP: return pixels * (layout->samples + 4u);
    /* All samples with space for growth, a mask, and data that are compressed once more. */
    case COMPRESSION_LERC:
        TIFFGetField(file, TIFFTAG_LERC_ADD_COMPRESSION, &added);
        return size * (added == LERC_ADD_COMPRESSION_NONE ? 2 : 3);
    /* A dictionary has at most the size of the data, and is filled with them. */
    case COMPRESSION_LZMA: return size;
    case COMPRESSION_ZSTD: return size < MOST_WINDOW ? size : MOST_WINDOW;
    default: return 0;
    }
}

/* Counts the memory that is held beside the blocks. */
static sdimage_status count_held(reader *reader, sdimage_error **error) {
    const sdtiff_layout *layout = reader->layout;
    TIFF *file = reader->input->file;
    reader->held = reader->rows.held + reader->unpacker.held + decoder_bytes(layout, file);
    if (layout->kind == SDTIFF_BY_LIBRARY) {
        /* libtiff converts from strips or tiles of its own. */
        uint64_t planes = !layout->is_separate ? 1 : layout->samples < 4 ? layout->samples : 4;
        reader->held += block_size(layout, file) * planes;
    }
    return reader->held <= MOST_BLOCK ? SDIMAGE_STATUS_OK : sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, TOO_LARGE);
}

/* Allocates room for blocks of `bytes` bytes, one for each plane. */
static sdimage_status make_room(reader *reader, uint64_t bytes, sdimage_error **error) {
    uint16_t planes = planes_of(reader->layout);
    if (!bytes || bytes > (MOST_BLOCK - reader->held) / planes)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, TOO_LARGE);
    reader->block_bytes = bytes;
    /* Zeroed: the parts that a damaged block does not fill must not show old memory. */
    reader->block = calloc(planes, (size_t)bytes);
    return reader->block ? SDIMAGE_STATUS_OK : sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "tiff: no memory for rows");
}

/* Handles a part that could not be read: an error, unless partial images are accepted. */
static sdimage_status damage(reader *reader, sdimage_error **error) {
    if (!reader->request->accepts_partial || reader->input->source_error)
        return sdtiff_fail(reader->input, SDIMAGE_STATUS_BAD_DATA, "tiff: image data is damaged", error);
    return SDIMAGE_STATUS_OK;
}

/* Stores the address of a row in each block: one address for interleaved samples, otherwise one for each sample that is
 * read. `offset`: bytes from the start of a block. */
static void find_planes(const reader *reader, size_t offset, const uint8_t **planes) {
    const sdtiff_layout *layout = reader->layout;
    size_t slot = 0;
    for (uint16_t s = 0; s < (layout->is_separate ? layout->samples : 1); s++) {
        if (layout->is_separate && !is_read(layout, s))
            continue;
        planes[s] = reader->block + slot++ * (size_t)reader->block_bytes + offset;
    }
}

/* At least the limit of samples per pixel (layout.c). */
enum { MOST_PLANES = 64 };

/* --- JBIG. */

/* Size in bytes of the header of bi-level image data (ITU-T T.82, 6.2). */
enum { JBIG_HEADER = 20 };

/* Checks the size in the header of a strip or tile. libjbig allocates what the header announces, and ends the process
 * if it cannot; libtiff compares the size afterwards. */
static sdimage_status check_jbig_block(reader *reader, uint32_t block, uint64_t most, sdimage_error **error) {
    TIFF *file = reader->input->file;
    uint8_t header[JBIG_HEADER];
    uint16_t order = FILLORDER_MSB2LSB;
    tmsize_t got = reader->layout->is_tiled ? TIFFReadRawTile(file, block, header, JBIG_HEADER)
                                            : TIFFReadRawStrip(file, block, header, JBIG_HEADER);
    /* Too short for an image: libtiff reports it. */
    if (got != JBIG_HEADER)
        return SDIMAGE_STATUS_OK;
    TIFFGetFieldDefaulted(file, TIFFTAG_FILLORDER, &order);
    /* As libtiff does for libjbig. */
    if (order != FILLORDER_LSB2MSB)
        TIFFReverseBits(header, JBIG_HEADER);
    sdcs_span size = {header + 4, 8};
    uint32_t width = 0, rows = 0;
    sdcs_take32(&size, &width), sdcs_take32(&size, &rows);
    uint64_t planes = header[2], stride = ((uint64_t)width + 7) / 8;
    /* Together with the block that libtiff copies a plane to. */
    if (stride * rows > most || planes * stride * rows > MOST_BLOCK - most)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "tiff: JBIG data is larger than its strip or tile");
    return SDIMAGE_STATUS_OK;
}

/* Checks all strips or tiles, if they are compressed with JBIG. */
static sdimage_status check_jbig(reader *reader, sdimage_error **error) {
    TIFF *file = reader->input->file;
    uint16_t compression = COMPRESSION_NONE;
    sdimage_status status = SDIMAGE_STATUS_OK;
    TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
    if (compression != COMPRESSION_JBIG)
        return status;
    bool tiled = reader->layout->is_tiled;
    uint32_t count = tiled ? TIFFNumberOfTiles(file) : TIFFNumberOfStrips(file);
    uint64_t most = tiled ? TIFFTileSize64(file) : TIFFStripSize64(file);
    if (most > MOST_BLOCK)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, TOO_LARGE);
    for (uint32_t block = 0; status >= 0 && block < count; block++) {
        status = sdcs_check_deadline(reader->request->deadline, error);
        if (status >= 0)
            status = check_jbig_block(reader, block, most, error);
    }
    return status;
}

/* --- Strips. */

/* Reads interleaved samples row by row, whatever the size of a strip. */
static sdimage_status read_rows(reader *reader, sdimage_error **error) {
    const sdtiff_layout *layout = reader->layout;
    const uint8_t *planes[MOST_PLANES] = {NULL};
    sdimage_status status = make_room(reader, TIFFScanlineSize64(reader->input->file), error);
    for (uint32_t y = 0; status >= 0 && y < layout->height; y++) {
        /* The clock is read once for 64 rows. */
        if (y % 64 == 0 && (status = sdcs_check_deadline(reader->request->deadline, error)) < 0)
            break;
        if (TIFFReadScanline(reader->input->file, reader->block, y, 0) < 0) {
            status = damage(reader, error);
            break;
        }
        find_planes(reader, 0, planes);
        sdtiff_unpack(&reader->unpacker, planes, layout->width, sdcs_row(&reader->rows, y));
        sdcs_rows_done(&reader->rows, y + 1);
        reader->valid_rows = y + 1;
    }
    return status;
}

/* Reads the strips of all sample planes that begin at row `y`; false if one is damaged. */
static bool read_strips(reader *reader, uint32_t y) {
    const sdtiff_layout *layout = reader->layout;
    size_t slot = 0;
    for (uint16_t s = 0; s < layout->samples; s++) {
        if (!is_read(layout, s))
            continue;
        uint32_t strip = TIFFComputeStrip(reader->input->file, y, s);
        uint8_t *to = reader->block + slot++ * (size_t)reader->block_bytes;
        if (TIFFReadEncodedStrip(reader->input->file, strip, to, (tmsize_t)reader->block_bytes) < 0)
            return false;
    }
    return true;
}

/* Reads samples in separate planes: one strip of each plane at a time. */
static sdimage_status read_by_strips(reader *reader, sdimage_error **error) {
    const sdtiff_layout *layout = reader->layout;
    const uint8_t *planes[MOST_PLANES] = {NULL};
    uint64_t scanline = TIFFScanlineSize64(reader->input->file);
    /* Checked before the product, which could overflow. */
    if (scanline > MOST_BLOCK / layout->rows_per_strip)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, TOO_LARGE);
    sdimage_status status = make_room(reader, scanline * layout->rows_per_strip, error);
    for (uint32_t y = 0; status >= 0 && y < layout->height; y += layout->rows_per_strip) {
        uint32_t left = layout->height - y, count = left < layout->rows_per_strip ? left : layout->rows_per_strip;
        status = sdcs_check_deadline(reader->request->deadline, error);
        if (status >= 0 && !read_strips(reader, y))
            return damage(reader, error);
        for (uint32_t i = 0; status >= 0 && i < count; i++) {
            find_planes(reader, (size_t)(i * scanline), planes);
            sdtiff_unpack(&reader->unpacker, planes, layout->width, sdcs_row(&reader->rows, y + i));
            sdcs_rows_done(&reader->rows, y + i + 1);
        }
        reader->valid_rows = y + count;
        /* The next value of `y` could overflow. */
        if (left <= layout->rows_per_strip)
            break;
    }
    return status;
}

/* --- Tiles. */

/* Reads the tiles of all sample planes at a position in pixels; false if one is damaged. */
static bool read_tiles(reader *reader, uint32_t x, uint32_t y) {
    const sdtiff_layout *layout = reader->layout;
    size_t slot = 0;
    for (uint16_t s = 0; s < (layout->is_separate ? layout->samples : 1); s++) {
        if (layout->is_separate && !is_read(layout, s))
            continue;
        uint32_t tile = TIFFComputeTile(reader->input->file, x, y, 0, s);
        uint8_t *to = reader->block + slot++ * (size_t)reader->block_bytes;
        if (TIFFReadEncodedTile(reader->input->file, tile, to, (tmsize_t)reader->block_bytes) < 0)
            return false;
    }
    return true;
}

/* Reads the tiles that begin at row `y`, of whose rows `count` are inside the image. */
static sdimage_status read_row_of_tiles(reader *reader, uint32_t y, uint32_t count, sdimage_error **error) {
    const sdtiff_layout *layout = reader->layout;
    const uint8_t *planes[MOST_PLANES] = {NULL};
    size_t row_bytes = (size_t)(reader->block_bytes / layout->tile_height);
    size_t pixel = sdimage_pixel_format_bytes(reader->rows.format);
    for (uint64_t x = 0; x < layout->width; x += layout->tile_width) {
        uint32_t left = layout->width - (uint32_t)x, across = left < layout->tile_width ? left : layout->tile_width;
        sdimage_status status = sdcs_check_deadline(reader->request->deadline, error);
        if (status >= 0 && !read_tiles(reader, (uint32_t)x, y)) {
            status = damage(reader, error);
            /* A damaged tile stays transparent or black; the next one may be intact. */
            if (status >= 0)
                continue;
        }
        if (status < 0)
            return status;
        for (uint32_t i = 0; i < count; i++) {
            find_planes(reader, i * row_bytes, planes);
            /* The last tiles of a row extend beyond the image. */
            sdtiff_unpack(&reader->unpacker, planes, across, sdcs_row(&reader->rows, y + i) + (size_t)x * pixel);
        }
        reader->valid_rows = y + count;
    }
    return SDIMAGE_STATUS_OK;
}

/* Reads tiles, from left to right and from top to bottom. */
static sdimage_status read_all_tiles(reader *reader, sdimage_error **error) {
    const sdtiff_layout *layout = reader->layout;
    sdimage_status status = make_room(reader, TIFFTileSize64(reader->input->file), error);
    for (uint64_t y = 0; status >= 0 && y < layout->height; y += layout->tile_height) {
        uint32_t left = layout->height - (uint32_t)y, count = left < layout->tile_height ? left : layout->tile_height;
        status = read_row_of_tiles(reader, (uint32_t)y, count, error);
        if (status >= 0)
            sdcs_rows_done(&reader->rows, (uint32_t)y + count);
    }
    return status;
}

/* --- Conversion by libtiff. */

/* Copies rows of libtiff's packed pixels as RGBA. */
static void copy_raster(const reader *reader, const uint32_t *raster, uint32_t y, uint32_t count) {
    const sdtiff_layout *layout = reader->layout;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = sdcs_row(&reader->rows, y + i);
        const uint32_t *from = raster + (size_t)i * layout->width;
        for (uint32_t x = 0; x < layout->width; x++, to += 4) {
            to[0] = (uint8_t)TIFFGetR(from[x]);
            to[1] = (uint8_t)TIFFGetG(from[x]);
            to[2] = (uint8_t)TIFFGetB(from[x]);
            to[3] = (uint8_t)TIFFGetA(from[x]);
        }
    }
}

/* Converts `band` rows at a time: whole strips or rows of tiles, so that none is decoded twice. */
static sdimage_status read_raster(reader *reader, TIFFRGBAImage *raster, uint32_t band, sdimage_error **error) {
    const sdtiff_layout *layout = reader->layout;
    sdimage_status status = make_room(reader, (uint64_t)layout->width * band * sizeof(uint32_t), error);
    /* The library applies the orientation: rows arrive in stored order. */
    raster->orientation = raster->req_orientation = ORIENTATION_TOPLEFT;
    for (uint32_t y = 0; status >= 0 && y < layout->height; y += band) {
        uint32_t left = layout->height - y, count = left < band ? left : band;
        status = sdcs_check_deadline(reader->request->deadline, error);
        /* libtiff starts each conversion at this row. */
        raster->row_offset = (int)y;
        if (status >= 0 && !TIFFRGBAImageGet(raster, (uint32_t *)(void *)reader->block, layout->width, count))
            return damage(reader, error);
        if (status < 0)
            break;
        copy_raster(reader, (const uint32_t *)(const void *)reader->block, y, count);
        sdcs_rows_done(&reader->rows, y + count);
        reader->valid_rows = y + count;
        if (left <= band)
            break;
    }
    return status;
}

/* Has libtiff convert the samples to RGBA. */
static sdimage_status read_by_library(reader *reader, uint32_t band, sdimage_error **error) {
    char message[1024] = "";
    TIFFRGBAImage raster;
    /* The row offset of TIFFRGBAImage is an int. */
    if (reader->layout->height > INT32_MAX)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "decoder: more pixels than max_pixels allows");
    if (!TIFFRGBAImageOK(reader->input->file, message) || !TIFFRGBAImageBegin(&raster, reader->input->file, 1, message))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED,
                         *message ? message : "tiff: samples cannot be converted to RGB");
    sdimage_status status = read_raster(reader, &raster, band, error);
    TIFFRGBAImageEnd(&raster);
    return status;
}

/* --- The image. */

/* Returns the number of rows that are finished together. */
static uint32_t band_of(const sdtiff_layout *layout) {
    if (layout->is_tiled)
        return layout->tile_height < layout->height ? layout->tile_height : layout->height;
    return layout->kind == SDTIFF_BY_LIBRARY ? layout->rows_per_strip : 1;
}

/* Reads the pixels in the way that the layout requires. */
static sdimage_status read_pixels(reader *reader, uint32_t band, sdimage_error **error) {
    if (reader->layout->kind == SDTIFF_BY_LIBRARY)
        return read_by_library(reader, band, error);
    if (reader->layout->is_tiled)
        return read_all_tiles(reader, error);
    bool by_strips = reader->layout->is_separate || reader->layout->is_by_strips;
    return by_strips ? read_by_strips(reader, error) : read_rows(reader, error);
}

sdimage_status sdtiff_read(sdtiff_input *input, const sdtiff_layout *layout, const sdtiff_request *request,
                           sdimage_image **image, sdimage_error **error) {
    reader reader = {.input = input, .layout = layout, .request = request};
    sdimage_pixel_format format = sdtiff_pixel_format(layout, &request->image);
    /* rows.c makes no means of floats. */
    bool shrinks = format != SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT;
    uint32_t factor =
        shrinks ? sdcs_shrink_factor(layout->width, layout->height, layout->orientation, &request->image) : 1;
    /* Width of the widest block. */
    uint32_t band = band_of(layout), most = layout->is_tiled ? layout->tile_width : layout->width;
    if (most > layout->width)
        most = layout->width;
    sdimage_status status =
        sdcs_rows_open(&reader.rows, layout->width, layout->height, format, factor, band, &request->image, error);
    if (status >= 0 && layout->kind != SDTIFF_BY_LIBRARY)
        status = sdtiff_unpacker_open(&reader.unpacker, layout, format, most, request->image.converts_to_srgb, error);
    if (status >= 0)
        status = count_held(&reader, error);
    if (status >= 0)
        status = check_jbig(&reader, error);
    if (status >= 0)
        status = read_pixels(&reader, band, error);
    /* Not one row: there is no partial image to return. */
    if (status >= 0 && !reader.valid_rows)
        status = sdtiff_fail(input, SDIMAGE_STATUS_BAD_DATA, "tiff: image data is damaged", error);
    if (status >= 0)
        *image = sdimage_image_ref(reader.rows.image);
    sdtiff_unpacker_close(&reader.unpacker);
    sdcs_rows_close(&reader.rows);
    free(reader.block);
    return status;
}
