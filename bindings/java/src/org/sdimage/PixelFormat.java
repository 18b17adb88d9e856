package org.sdimage;

/** How one pixel lies in memory, in the order of the letters; samples of 16 bits and floats in the machine's order. */
public enum PixelFormat {
    /** As a wish: the smallest straight format that holds the picture. */
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
