import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sdimage.Load;
import org.sdimage.Loader;
import org.sdimage.LoaderRequest;
import org.sdimage.Sdimage;
import org.sdimage.SdimageException;

/** Tests without a test library, with one line of output each. */
final class Harness {
    static final String ORIGIN = System.getenv("ORIGIN");
    static final Path PICTURES = Path.of(System.getenv("PICTURES"));

    private static final AtomicInteger serial = new AtomicInteger();
    private static int failures;

    private Harness() {}

    interface Body {
        void run() throws Exception;
    }

    static void test(String name, Body body) {
        try {
            body.run();
            System.out.println("ok " + name);
        } catch (Throwable thrown) {
            failures++;
            System.out.println("not ok " + name + ": " + String.valueOf(thrown).lines().findFirst().orElse(""));
            thrown.printStackTrace();
        }
    }

    static int failures() {
        return failures;
    }

    static void expect(Object got, Object wanted) {
        if (!String.valueOf(got).equals(String.valueOf(wanted))) {
            throw new AssertionError(got + ", not " + wanted);
        }
    }

    /** Checks that `body` throws IllegalArgumentException. */
    static void refused(Body body) throws Exception {
        try {
            body.run();
        } catch (IllegalArgumentException expected) {
            return;
        }
        throw new AssertionError("it was accepted");
    }

    /** The code of the exception that `body` throws. */
    static String codeOf(Body body) {
        try {
            body.run();
        } catch (SdimageException error) {
            return error.code();
        } catch (Exception other) {
            return String.valueOf(other);
        }
        return "nothing was thrown";
    }

    /** The code of the error of a load; CANCELLED if its future was cancelled. */
    static String codeOf(Load load) {
        try {
            load.join();
        } catch (CancellationException cancelled) {
            return "CANCELLED";
        } catch (CompletionException error) {
            return ((SdimageException) error.getCause()).code();
        }
        return "none";
    }

    /** A URL of the origin that no other test uses. */
    static String fresh(String name, String query) {
        return ORIGIN + name + "?test=java" + ProcessHandle.current().pid() + "-" + serial.incrementAndGet() + "&" + query;
    }

    static byte[] bytes(String name) throws Exception {
        return Files.readAllBytes(PICTURES.resolve(name));
    }

    static Path folder() throws Exception {
        return Files.createTempDirectory(Path.of(System.getenv("FOLDER")), "cache");
    }

    /** A stream of short pieces, each after a while, so that partial images and progress are delivered in between. */
    static InputStream slowly(byte[] file) {
        return new FilterInputStream(new ByteArrayInputStream(file)) {
            @Override
            public int read(byte[] into, int at, int length) throws IOException {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException interrupted) {
                    throw new IOException(interrupted);
                }
                return super.read(into, at, Math.min(length, 3000));
            }
        };
    }

    /** Loads aurora.jpg, which is progressive: a part, and the rest after the gate is opened. */
    static final class Gate implements Loader {
        private final CountDownLatch opened = new CountDownLatch(1);

        void open() {
            opened.countDown();
        }

        @Override
        public InputStream load(LoaderRequest request) throws Exception {
            byte[] file = bytes("aurora.jpg");
            request.expect(file.length);
            return new FilterInputStream(new ByteArrayInputStream(file)) {
                private int given;

                @Override
                public int read(byte[] into, int at, int length) throws IOException {
                    try {
                        if (given >= 20000 && !opened.await(120, TimeUnit.SECONDS)) {
                            throw new IOException("nothing was shown");
                        }
                    } catch (InterruptedException interrupted) {
                        throw new IOException(interrupted);
                    }
                    int count = super.read(into, at, Math.min(length, 10000));
                    given += Math.max(count, 0);
                    return count;
                }
            };
        }
    }

    static int hits(String name) throws Exception {
        try (InputStream stream = URI.create(ORIGIN + "_counters").toURL().openStream()) {
            Matcher found = Pattern.compile("\"" + Pattern.quote(name) + "\": (\\d+)").matcher(new String(stream.readAllBytes()));
            return found.find() ? Integer.parseInt(found.group(1)) : 0;
        }
    }

    /** Bytes of pixels in use, by the library's own count. */
    static long livePixels() {
        Matcher found = Pattern.compile("(?m)^sdimage_pixel_bytes\\{state=\"live\"\\} (\\d+)$").matcher(Sdimage.metrics());
        return found.find() ? Long.parseLong(found.group(1)) : -1;
    }

    /** Collects until no handle is held, or for a second; the number of handles. */
    static long collected() throws Exception {
        return collected(100, 0);
    }

    /** Collects until at most `wanted` handles are held, or for a minute. */
    static long settled(long wanted) throws Exception {
        return collected(6000, wanted);
    }

    private static long collected(int most, long wanted) throws Exception {
        for (int tries = 0; tries < most && Sdimage.liveHandles() > wanted; tries++) {
            System.gc();
            Thread.sleep(10); // the cleaner has a thread of its own
        }
        return Sdimage.liveHandles();
    }
}
