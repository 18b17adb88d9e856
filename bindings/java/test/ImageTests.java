import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.sdimage.Awt;
import org.sdimage.Cache;
import org.sdimage.DecodeOptions;
import org.sdimage.DynamicRange;
import org.sdimage.EncodeOptions;
import org.sdimage.Format;
import org.sdimage.Image;
import org.sdimage.PixelFormat;
import org.sdimage.ScaleMode;
import org.sdimage.Request;
import org.sdimage.Sdimage;

final class ImageTests {
    private ImageTests() {}

    static void run() {
        Harness.test("bytes are decoded, described and recognized", () -> {
            byte[] file = Harness.bytes("balloons.jpg");
            Image image = Image.decode(file, DecodeOptions.DEFAULT.thumbnail(100, 100).pixelFormat(PixelFormat.RGBA8));
            Harness.expect(image.pixelFormat(), PixelFormat.RGBA8);
            Harness.expect(Math.max(image.width(), image.height()), 100);
            Harness.expect(Sdimage.info(file).replace(" ", "").contains("\"width\":" + image.sourceWidth()), true);
            Harness.expect(Sdimage.sniff(Harness.bytes("leaf.webp")), Format.WEBP);
            Harness.expect(Sdimage.sniff("<html>".getBytes()), null);
            Harness.expect(Harness.codeOf(() -> Image.decode("<html>".getBytes())), "NOT_AN_IMAGE");
            Harness.expect(Harness.codeOf(() -> Image.decode(Arrays.copyOf(file, 5000))), "TRUNCATED");
            Harness.expect(Harness.codeOf(() -> Image.decode(new byte[0])), "EMPTY_DATA");
        });
        Harness.test("a thumbnail fits its box by its mode", () -> {
            byte[] file = Harness.bytes("aurora.jpg");
            String sizes = "";
            for (ScaleMode mode : ScaleMode.values()) {
                Image image = Image.decode(file, DecodeOptions.DEFAULT.thumbnail(100, 100, mode));
                sizes += mode + " " + image.width() + "x" + image.height() + " ";
            }
            Harness.expect(sizes, "ASPECT_FIT 100x63 FILL 100x100 ASPECT_FILL 160x100 ");
        });
        Harness.test("a rendition has the headroom asked for", () -> {
            DecodeOptions plain = DecodeOptions.DEFAULT.thumbnail(100, 100);
            DecodeOptions automatic = plain.dynamicRange(DynamicRange.AUTOMATIC);
            Harness.expect(rendition(plain), "RGB8 0.0 0.0");
            Harness.expect(rendition(automatic), "RGB8 0.0 0.0");
            Harness.expect(rendition(automatic.displayHeadroom(1.5)), "RGBA_FLOAT 1.5 2.0");
            Harness.expect(rendition(automatic.displayHeadroom(-1)), "RGB8 0.0 0.0");
            Harness.expect(rendition(plain.dynamicRange(DynamicRange.HDR)), "RGBA_FLOAT 2.0 2.0");
        });
        Harness.test("a gain map is kept, applied and written", () -> {
            Image kept = decoded(DecodeOptions.DEFAULT.keepGainMap(true));
            Harness.expect(kept.pixelFormat() + " " + kept.contentHeadroom(), "RGB8 2.0");
            String headrooms = "";
            for (double stops : new double[] {0, 1.5, Double.POSITIVE_INFINITY}) {
                headrooms += kept.applyGainMap(stops).headroom() + " ";
            }
            Harness.expect(headrooms, "0.0 1.5 2.0 ");
            for (boolean embed : new boolean[] {true, false}) {
                byte[] file = kept.encode(Format.JPEG, EncodeOptions.DEFAULT.embedGainMap(embed));
                Image written = Image.decode(file, DecodeOptions.DEFAULT.dynamicRange(DynamicRange.HDR));
                Harness.expect(written.headroom() == 2, embed);
                Harness.expect(Harness.codeOf(() -> written.applyGainMap(1)), "UNSUPPORTED");
            }
        });
        Harness.test("pixels are the library’s own memory and outlive their picture", ImageTests::pixels);
        Harness.test("what is encoded without loss is what it was", () -> {
            Image image = Image.decode(Harness.bytes("truchet.png"), DecodeOptions.DEFAULT.pixelFormat(PixelFormat.RGB8));
            byte[] file = image.encode(Format.WEBP, EncodeOptions.DEFAULT.lossless(true));
            Image again = Image.decode(file, DecodeOptions.DEFAULT.pixelFormat(PixelFormat.RGB8));
            // Bytes between the rows are undefined.
            for (int y = 0; y < image.height(); y++) {
                ByteBuffer row = image.pixels().slice(y * image.stride(), image.width() * 3);
                Harness.expect(again.pixels().slice(y * again.stride(), again.width() * 3).compareTo(row), 0);
            }
            Harness.expect(Harness.codeOf(() -> image.encode(Format.PDF)), "UNSUPPORTED");
            Harness.expect(Harness.codeOf(() -> image.encode(Format.JPEG, EncodeOptions.DEFAULT.quality(7))), "INVALID_ARGUMENT");
        });
        Harness.test("numbers below 0 and text with a NUL are refused", () -> {
            DecodeOptions decode = DecodeOptions.DEFAULT;
            Harness.refused(() -> decode.thumbnail(-1, 1));
            Harness.refused(() -> decode.maxPixels(-1));
            Harness.refused(() -> decode.maxBytes(Long.MIN_VALUE));
            Harness.refused(() -> EncodeOptions.DEFAULT.maxFileSize(-1));
            Harness.refused(() -> Cache.builder().maxMemoryCost(-1));
            Harness.refused(() -> Cache.builder().maxMemoryCount(-1));
            Harness.refused(() -> Cache.builder().maxDiskSize(Long.MIN_VALUE));
            Harness.refused(() -> Cache.builder().namespace("a\0b"));
            Harness.refused(() -> Request.of("http://example.org/").header("a\0b", "c"));
            Harness.refused(() -> Request.of("http://example.org/").header("a", "b\0c"));
            Harness.refused(() -> decode.maxWorkMs(1L << 32));
            Harness.refused(() -> Request.of("http://example.org/").timeoutMs(-1));
            Harness.refused(() -> Request.of("http://example.org/").maxRetries(-1));
            Harness.refused(() -> Request.of("http://example.org/").maxBodyBytes(-1));
            Image image = Image.decode(Harness.bytes("orbits.gif"));
            Harness.expect(Harness.codeOf(() -> image.frame(-1)), "INVALID_ARGUMENT");
            Harness.expect(Harness.codeOf(() -> Image.ofPixels(-1, -1, -4, PixelFormat.RGBA8, new byte[4])), "INVALID_ARGUMENT");
        });
        Harness.test("an animation gives its frames", () -> {
            Image image = Image.decode(Harness.bytes("orbits.gif"));
            Harness.expect(image.frameCount() + " " + image.durationMs() + " " + image.frameDurationMs(3), "16 1280 80");
            Harness.expect(image.frame(15).width(), image.width());
            Harness.expect(Harness.codeOf(() -> image.frame(16)), "INVALID_ARGUMENT");
        });
        Harness.test("a picture becomes one of java.awt, and comes back", () -> {
            Image image = Image.decode(Harness.bytes("badge.png"));
            BufferedImage picture = Awt.toBufferedImage(image);
            ByteBuffer straight = image.convert(PixelFormat.RGBA8).pixels();
            int stride = image.convert(PixelFormat.RGBA8).stride(), opaque = 0;
            for (int y = 0; y < image.height(); y += 5) {
                for (int x = 0; x < image.width(); x += 3) {
                    int at = y * stride + x * 4, argb = picture.getRGB(x, y);
                    Harness.expect(argb >>> 24, straight.get(at + 3) & 255);
                    if (straight.get(at + 3) == -1) {
                        int red = straight.get(at) & 255, green = straight.get(at + 1) & 255, blue = straight.get(at + 2) & 255;
                        Harness.expect(argb & 0xffffff, red << 16 | green << 8 | blue);
                        opaque++;
                    }
                }
            }
            Harness.expect(opaque > 100, true);
            Image back = Awt.toImage(picture);
            Harness.expect(Awt.toBufferedImage(back).getRGB(200, 200), picture.getRGB(200, 200));
        });
    }

    private static String rendition(DecodeOptions options) throws Exception {
        Image image = decoded(options);
        return image.pixelFormat() + " " + image.headroom() + " " + image.contentHeadroom();
    }

    /**
     * Decodes a JPEG with a gain map (ISO 21496-1, annex C): the file is also its map, and both have the fields in their
     * first segment: fractions of 16.
     */
    private static Image decoded(DecodeOptions options) throws Exception {
        byte[] file = Harness.bytes("balloons.jpg");
        byte[] label = "urn:iso:std:iso:ts:21496:-1\0".getBytes();
        ByteBuffer marked = ByteBuffer.allocate(2 * (file.length + 69));
        for (int image = 0; image < 2; image++) {
            marked.put(file, 0, 2).putShort((short) 0xffe2).putShort((short) 67).put(label).putInt(0).put((byte) 8);
            for (int number : new int[] {16, 0, 32, 0, 48, 24, 1, 2}) {
                marked.putInt(number);
            }
            marked.put(file, 2, file.length - 2);
        }
        return Image.decode(marked.array(), options);
    }

    private static void pixels() throws Exception {
        byte[] bytes = new byte[18];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) index;
        }
        Image image = Image.ofPixels(3, 2, 9, PixelFormat.RGB8, bytes);
        ByteBuffer pixels = image.pixels();
        Harness.expect(pixels.isDirect() + " " + pixels.isReadOnly(), "true true");
        int stride = image.stride();
        image.close();
        image.close();
        ByteBuffer slice = pixels.slice(stride, 9);
        pixels = null;
        for (int round = 0; round < 3; round++) {
            System.gc();
            Thread.sleep(10);
        }
        Harness.expect(slice.get(4), 13);
        Harness.expect(Harness.codeOf(() -> image.pixels()), "java.lang.IllegalStateException: object: closed");
        Harness.expect(Harness.codeOf(() -> Image.ofPixels(3, 3, 9, PixelFormat.RGB8, new byte[26])), "INVALID_ARGUMENT");
    }
}
