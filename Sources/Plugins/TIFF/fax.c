/* fax.c: correction of the compression tag of facsimile data (see fax.h).
 *
 * 1. Data that claim to be Group 3 are searched for end-of-line codes.
 * 2. If there are too few, the first rows are decoded without codes, with rows aligned to bytes and not aligned.
 * 3. The alignment that gives fewer warnings of libtiff stays set. */
#include "fax.h"

#include <stdlib.h>

/* Limits of the search:
 *
 * - SEARCHED_BYTES: bytes of the first strip in which end-of-line codes are searched.
 * - ZEROS: the zeros that precede the 1 of such a code.
 * - TRIED_ROWS: rows that are decoded to find their alignment. */
enum { SEARCHED_BYTES = 1 << 16, ZEROS = 11, TRIED_ROWS = 64 };

/* Limit of the bytes of a row that is decoded to find the alignment. */
enum { MOST_ROW = 1 << 20 };

/* Counts the end-of-line codes; `first` is the number of bits before the first one bit. */
static uint32_t count_codes(const uint8_t *bytes, size_t length, uint32_t *first) {
    uint32_t codes = 0, zeros = 0;
    bool is_begun = false;
    for (size_t i = 0; i < length * 8; i++) {
        bool is_one = bytes[i / 8] >> (7 - i % 8) & 1;
        if (is_one && !is_begun)
            *first = zeros, is_begun = true;
        /* A code is at least 11 zeros and a 1; more zeros are fill bits. */
        codes += is_one && zeros >= ZEROS;
        zeros = is_one ? 0 : zeros + 1;
    }
    return codes;
}

/* Returns true if the data begin without a code and have fewer codes than half of the rows. Padding between rows and
 * the zeros of the codes beside it rarely look like one. */
static bool has_no_codes(TIFF *file, uint32_t rows) {
    uint64_t whole = TIFFRawStripSize64(file, 0);
    size_t length = whole < SEARCHED_BYTES ? (size_t)whole : SEARCHED_BYTES;
    uint8_t *bytes = whole ? malloc(length) : NULL;
    uint16_t order = FILLORDER_MSB2LSB;
    uint32_t first = UINT32_MAX;
    bool has_none = false;
    if (bytes && TIFFReadRawStrip(file, 0, bytes, (tmsize_t)length) == (tmsize_t)length) {
        TIFFGetFieldDefaulted(file, TIFFTAG_FILLORDER, &order);
        /* TIFFReadRawStrip leaves the bits in the order of the file. */
        if (order == FILLORDER_LSB2MSB)
            TIFFReverseBits(bytes, (tmsize_t)length);
        /* The rows in the part that was read, if all have about the same length. */
        uint64_t expected = (uint64_t)rows * length / whole;
        has_none = 2 * (uint64_t)count_codes(bytes, length, &first) < expected && first < ZEROS;
    }
    free(bytes);
    return has_none;
}

/* Reads rows without codes from the next row on. */
static void set_mode(TIFF *file, int alignment) {
    /* Changing the compression restarts the decoder. */
    TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_CCITTFAX3);
    TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_CCITTRLE);
    TIFFSetField(file, TIFFTAG_FAXMODE, FAXMODE_NORTC | FAXMODE_NOEOL | alignment);
}

/* Decodes the first rows; returns the number of warnings about rows of other lengths than the width. */
static uint32_t count_warnings(sdtiff_input *input, int alignment, uint32_t rows, uint8_t *row) {
    set_mode(input->file, alignment);
    input->warnings = 0;
    for (uint32_t y = 0; y < rows && y < TRIED_ROWS; y++) {
        /* An alignment that cannot be decoded at all is the worst. */
        if (TIFFReadScanline(input->file, row, y, 0) < 0)
            return UINT32_MAX;
    }
    return input->warnings;
}

void sdtiff_correct_fax(sdtiff_input *input) {
    uint16_t compression = COMPRESSION_NONE;
    uint32_t options = 0, rows = 0, height = 0;
    TIFFGetFieldDefaulted(input->file, TIFFTAG_COMPRESSION, &compression);
    /* Only strips: the first one is searched. */
    if (compression != COMPRESSION_CCITTFAX3 || TIFFIsTiled(input->file))
        return;
    TIFFGetField(input->file, TIFFTAG_GROUP3OPTIONS, &options);
    TIFFGetField(input->file, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(input->file, TIFFTAG_ROWSPERSTRIP, &rows);
    rows = rows < height ? rows : height;
    /* Rows of two-dimensional coding depend on the tag bit after each code. */
    if (options & GROUP3OPT_2DENCODING || !has_no_codes(input->file, rows))
        return;
    uint64_t size = TIFFScanlineSize64(input->file);
    uint8_t *row = size && size <= MOST_ROW ? malloc((size_t)size) : NULL;
    if (row) {
        /* Aligned rows first: if they decode without a warning, the other attempt is spared. */
        uint32_t aligned = count_warnings(input, FAXMODE_BYTEALIGN, rows, row);
        uint32_t packed = aligned ? count_warnings(input, 0, rows, row) : UINT32_MAX;
        set_mode(input->file, packed < aligned ? 0 : FAXMODE_BYTEALIGN);
    }
    free(row);
}
