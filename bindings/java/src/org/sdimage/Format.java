package org.sdimage;

/** Container formats of images. */
public enum Format {
    JPEG(0),
    PNG(1),
    GIF(2),
    TIFF(3),
    WEBP(4),
    HEIC(5),
    HEIF(6),
    PDF(7),
    SVG(8),
    BMP(9),
    ICO(11),
    AVIF(15),
    JXL(17);

    final int number;

    Format(int number) {
        this.number = number;
    }

    /** Null for images created from pixels, and for formats of another version. */
    static Format of(long number) {
        for (Format format : values()) {
            if (format.number == number) {
                return format;
            }
        }
        return null;
    }
}
