/* layout.c: the layout of the current directory, from its tags (see layout.h), and the pixel format that can hold its
 * samples. */
#include "layout.h"

#include "xmp.h"

/* Limits: samples per pixel, bits of an integer sample. */
enum { MOST_SAMPLES = 64, MOST_BITS = 32 };

/* Finds the color profile and the XMP packet, which belong to libtiff until the directory changes. */
static void read_blocks(TIFF *file, sdtiff_layout *layout) {
    uint32_t length = 0;
    void *bytes = NULL;
    if (TIFFGetField(file, TIFFTAG_ICCPROFILE, &length, &bytes) && bytes)
        layout->profile = (sdcs_span){bytes, length};
    if (TIFFGetField(file, TIFFTAG_XMLPACKET, &length, &bytes) && bytes)
        layout->xmp = (sdcs_span){bytes, length};
}

/* Reads the tag, which is also that of EXIF; without one, the orientation in XMP. */
static sdimage_orientation read_orientation(TIFF *file, sdcs_span xmp) {
    uint16_t orientation = 0;
    if (TIFFGetField(file, TIFFTAG_ORIENTATION, &orientation) && orientation >= 1 && orientation <= 8)
        return (sdimage_orientation)orientation;
    return xmp.length <= SDCS_BLOCK_LIMIT ? sdcs_xmp_orientation(xmp) : SDIMAGE_ORIENTATION_UP;
}

/* Returns the shift from palette entries to 8 bits: 8 for entries of 16 bits. Old writers filled palettes with 8-bit
 * values, whose shift is 0. */
static int palette_shift(const sdtiff_layout *layout) {
    uint32_t count = 1u << layout->bits;
    for (int c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < count; i++) {
            if (layout->palette[c][i] > 255)
                return 8;
        }
    }
    return 0;
}

/* Finds the palette. Errors: UNSUPPORTED for more than 256 colors, BAD_DATA without a palette. */
static sdimage_status read_palette(TIFF *file, sdtiff_layout *layout, sdimage_error **error) {
    uint16_t *colors[3] = {NULL, NULL, NULL};
    if (layout->bits > 8 || layout->is_float)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: palette exceeds the limit of 256 colors");
    if (!TIFFGetField(file, TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2]) || !colors[0] || !colors[1] ||
        !colors[2])
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "tiff: palette is missing");
    for (int c = 0; c < 3; c++)
        layout->palette[c] = colors[c];
    layout->palette_shift = palette_shift(layout);
    return SDIMAGE_STATUS_OK;
}

/* Finds the alpha sample (TIFF 6.0, section 18). A single extra sample of RGB with unspecified meaning is alpha too,
 * because old writers mark alpha that way. */
static void find_alpha(TIFF *file, sdtiff_layout *layout) {
    uint16_t count = 0, *kinds = NULL;
    layout->alpha = -1;
    if (!TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &count, &kinds) || !kinds)
        count = 0;
    for (uint16_t i = 0; i < count && layout->colors + i < layout->samples; i++) {
        bool is_fourth = kinds[i] == EXTRASAMPLE_UNSPECIFIED && count == 1 && layout->kind == SDTIFF_RGB;
        bool is_alpha = is_fourth || kinds[i] == EXTRASAMPLE_ASSOCALPHA || kinds[i] == EXTRASAMPLE_UNASSALPHA;
        if (!is_alpha)
            continue;
        layout->alpha = layout->colors + i;
        layout->premultiplied = kinds[i] == EXTRASAMPLE_ASSOCALPHA;
        return;
    }
}

/* libtiff converts subsampled chroma of interleaved samples only. */
static sdimage_status check_subsampling(TIFF *file, const sdtiff_layout *layout, sdimage_error **error) {
    uint16_t across = 1, down = 1;
    TIFFGetFieldDefaulted(file, TIFFTAG_YCBCRSUBSAMPLING, &across, &down);
    if (layout->is_separate && (across > 1 || down > 1))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: subsampled YCbCr in separate planes is not decoded");
    return SDIMAGE_STATUS_OK;
}

/* Finds the kind of color and the number of color samples. */
static sdimage_status read_kind(TIFF *file, sdtiff_layout *layout, sdimage_error **error) {
    /* Without a tag, the number of samples decides. */
    uint16_t photometric = layout->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISWHITE,
             compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
    if (!TIFFIsCODECConfigured(compression))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: libtiff was built without this compression");
    TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &photometric);
    layout->colors = 1;
    layout->is_by_strips = compression == COMPRESSION_JBIG && layout->samples == 1;
    switch (photometric) {
    case PHOTOMETRIC_MINISWHITE: layout->inverted = true; /* fall through */
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK: layout->kind = SDTIFF_GRAY; return SDIMAGE_STATUS_OK;
    case PHOTOMETRIC_PALETTE: layout->kind = SDTIFF_PALETTE; return read_palette(file, layout, error);
    case PHOTOMETRIC_RGB: layout->kind = SDTIFF_RGB, layout->colors = 3; return SDIMAGE_STATUS_OK;
    case PHOTOMETRIC_SEPARATED: layout->kind = SDTIFF_CMYK, layout->colors = 4; return SDIMAGE_STATUS_OK;
    case PHOTOMETRIC_YCBCR:
        if (compression == COMPRESSION_JPEG && !layout->is_separate) {
            /* Uses libjpeg's own conversion, which handles every subsampling. */
            TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            layout->kind = SDTIFF_RGB, layout->colors = 3;
            return SDIMAGE_STATUS_OK;
        }
        layout->kind = SDTIFF_BY_LIBRARY;
        return check_subsampling(file, layout, error);
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV: layout->kind = SDTIFF_BY_LIBRARY; return SDIMAGE_STATUS_OK;
    default: return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: unknown color space");
    }
}

/* Checks the numbers from the tags, before buffers are computed from them. */
static sdimage_status check_samples(const sdtiff_layout *layout, sdimage_error **error) {
    if (!layout->width || !layout->height)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "tiff: image has no pixels");
    if (!layout->samples || !layout->bits)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "tiff: pixel has no samples");
    if (layout->samples > MOST_SAMPLES)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: samples per pixel exceed the limit of 64");
    if (layout->is_float ? layout->bits != 16 && layout->bits != 32 && layout->bits != 64 : layout->bits > MOST_BITS)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: unknown sample depth");
    return SDIMAGE_STATUS_OK;
}

/* Reads size, depth and arrangement of the samples. */
static sdimage_status read_samples(TIFF *file, sdtiff_layout *layout, sdimage_error **error) {
    uint16_t format = SAMPLEFORMAT_UINT, planar = PLANARCONFIG_CONTIG;
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &layout->width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &layout->height);
    TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &layout->bits);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &layout->samples);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planar);
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: samples are complex numbers");
    layout->is_float = format == SAMPLEFORMAT_IEEEFP;
    /* With one sample per pixel both arrangements are the same. */
    layout->is_separate = planar == PLANARCONFIG_SEPARATE && layout->samples > 1;
    return check_samples(layout, error);
}

/* Reads the size of tiles or strips, in pixels. */
static sdimage_status read_blocking(TIFF *file, sdtiff_layout *layout, sdimage_error **error) {
    layout->is_tiled = TIFFIsTiled(file);
    if (layout->is_tiled) {
        TIFFGetField(file, TIFFTAG_TILEWIDTH, &layout->tile_width);
        TIFFGetField(file, TIFFTAG_TILELENGTH, &layout->tile_height);
        if (!layout->tile_width || !layout->tile_height)
            return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "tiff: tile has no pixels");
        return SDIMAGE_STATUS_OK;
    }
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &layout->rows_per_strip);
    /* The default is 2^32 - 1: one strip for the whole image. */
    if (!layout->rows_per_strip || layout->rows_per_strip > layout->height)
        layout->rows_per_strip = layout->height;
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdtiff_layout_read(sdtiff_input *input, sdtiff_layout *layout, sdimage_error **error) {
    TIFF *file = input->file;
    *layout = (sdtiff_layout){.alpha = -1};
    sdimage_status status = read_samples(file, layout, error);
    if (status >= 0)
        status = read_kind(file, layout, error);
    if (status >= 0)
        status = read_blocking(file, layout, error);
    if (status < 0)
        return status;
    /* The samples of a pixel are read without further checks of their number. */
    if (layout->kind != SDTIFF_BY_LIBRARY && layout->samples < layout->colors)
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "tiff: pixel has fewer samples than colors");
    if (layout->is_float && layout->kind != SDTIFF_GRAY && layout->kind != SDTIFF_RGB &&
        layout->kind != SDTIFF_BY_LIBRARY)
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "tiff: floating-point samples are neither gray nor RGB");
    if (layout->kind != SDTIFF_BY_LIBRARY)
        find_alpha(file, layout);
    /* XMP first: it may have the orientation. */
    read_blocks(file, layout);
    layout->orientation = read_orientation(file, layout->xmp);
    return SDIMAGE_STATUS_OK;
}

/* Returns true if pixels need 16 bits per sample. A request for 8 bits saves the memory of 16 bits, unless a profile
 * has yet to be applied. */
static bool is_wide(const sdtiff_layout *layout, const sdcs_request *request) {
    if (layout->bits <= 8 || layout->kind == SDTIFF_BY_LIBRARY || layout->kind == SDTIFF_PALETTE)
        return false;
    switch (request->format) {
    case SDIMAGE_PIXEL_FORMAT_AUTOMATIC:
    case SDIMAGE_PIXEL_FORMAT_GRAY8:
    case SDIMAGE_PIXEL_FORMAT_RGB8:
    case SDIMAGE_PIXEL_FORMAT_RGBA8:
    case SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED:
    case SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED: return layout->profile.length > 0 && request->converts_to_srgb;
    default: return true;
    }
}

sdimage_pixel_format sdtiff_pixel_format(const sdtiff_layout *layout, const sdcs_request *request) {
    bool wide = is_wide(layout, request);
    if (layout->is_float && layout->kind != SDTIFF_BY_LIBRARY)
        return SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT;
    if (layout->kind == SDTIFF_BY_LIBRARY || layout->alpha >= 0)
        return wide ? SDIMAGE_PIXEL_FORMAT_RGBA16 : SDIMAGE_PIXEL_FORMAT_RGBA8;
    if (layout->kind == SDTIFF_GRAY)
        return wide ? SDIMAGE_PIXEL_FORMAT_GRAY16 : SDIMAGE_PIXEL_FORMAT_GRAY8;
    return wide ? SDIMAGE_PIXEL_FORMAT_RGB16 : SDIMAGE_PIXEL_FORMAT_RGB8;
}
