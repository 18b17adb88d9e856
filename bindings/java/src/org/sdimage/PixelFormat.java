package org.sdimage;

/**
 * The layout of one pixel in memory, in the order of the letters; 16-bit samples and floats are in native byte order.
 */
public enum PixelFormat {
    /** As a request: the smallest straight format that holds the image. */
    AUTOMATIC,
    GRAY8,
    RGB8,
    RGBA8,
    RGBA8_PREMULTIPLIED,
    BGRA8_PREMULTIPLIED,
    GRAY16,
    RGB16,
    RGBA16,
    /** Linear light. */
    RGBA_FLOAT;

    static PixelFormat of(long number) {
        return number >= 0 && number < values().length ? values()[(int) number] : null;
    }

    /** Bytes of one pixel. */
    public int bytes() {
        return Native.pixelBytes(ordinal());
    }
}
