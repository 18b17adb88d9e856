package org.sdimage;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.nio.ByteOrder;
import java.nio.IntBuffer;

/** Converts from and to java.awt images. In a class of its own, because the rest does not need java.desktop. */
public final class Awt {
    private Awt() {}

    /** Copies into TYPE_INT_ARGB_PRE for an image with alpha, else TYPE_INT_RGB. */
    public static BufferedImage toBufferedImage(Image image) {
        int type = image.hasAlpha() ? BufferedImage.TYPE_INT_ARGB_PRE : BufferedImage.TYPE_INT_RGB;
        BufferedImage copy = new BufferedImage(image.width(), image.height(), type);
        int[] pixels = ((DataBufferInt) copy.getRaster().getDataBuffer()).getData();
        // BGRA in memory is 0xAARRGGBB as a little-endian number.
        try (Image same = image.convert(PixelFormat.BGRA8_PREMULTIPLIED)) {
            IntBuffer rows = same.pixels().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
            for (int y = 0; y < image.height(); y++) {
                rows.get(y * (same.stride() / 4), pixels, y * image.width(), image.width());
            }
        }
        return copy;
    }

    /** Copies into RGBA8. */
    public static Image toImage(BufferedImage picture) {
        int width = picture.getWidth(), height = picture.getHeight();
        int[] row = new int[width];
        byte[] pixels = new byte[Math.multiplyExact(Math.multiplyExact(width, height), 4)];
        for (int y = 0, at = 0; y < height; y++) {
            picture.getRGB(0, y, width, 1, row, 0, width);
            for (int argb : row) {
                pixels[at++] = (byte) (argb >> 16);
                pixels[at++] = (byte) (argb >> 8);
                pixels[at++] = (byte) argb;
                pixels[at++] = (byte) (argb >> 24);
            }
        }
        return Image.ofPixels(width, height, width * 4, PixelFormat.RGBA8, pixels);
    }
}
