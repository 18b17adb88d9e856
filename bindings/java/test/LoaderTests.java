import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sdimage.Load;
import org.sdimage.LoadListener;
import org.sdimage.Loader;
import org.sdimage.Manager;
import org.sdimage.Request;
import org.sdimage.Result;
import org.sdimage.SdimageException;

final class LoaderTests {
    private LoaderTests() {}

    private static Manager managerOf(Loader loader) {
        return Manager.builder().noCache().loader("Mine", loader).build();
    }

    static void run() {
        Harness.test("a loader gives bytes; other schemes are not its", () -> {
            List<String> asked = Collections.synchronizedList(new ArrayList<>());
            Loader loader = request -> {
                asked.add(request.url());
                return new ByteArrayInputStream(Harness.bytes("badge.png"));
            };
            try (Manager manager = managerOf(loader)) {
                Harness.expect(manager.load("mine:b\u00e4dge").join().source(), "loader");
                Harness.expect(manager.load(Harness.fresh("badge.png", "")).join().source(), "network");
                Harness.expect(asked, "[mine:b\u00e4dge]");
            }
        });
        Harness.test("a stream is read in pieces and closed", LoaderTests::pieces);
        Harness.test("what a loader throws is the error of the load", () -> {
            Loader loader = request -> {
                switch (request.url()) {
                    case "mine:own":
                        throw new SdimageException("PERMISSION_DENIED", "not for you");
                    case "mine:null":
                        return null;
                    case "mine:half":
                        return torn();
                    default:
                        throw new StackOverflowError();
                }
            };
            try (Manager manager = managerOf(loader)) {
                Harness.expect(Harness.codeOf(manager.load("mine:own")), "PERMISSION_DENIED");
                for (String url : List.of("mine:null", "mine:half", "mine:else")) {
                    Harness.expect(Harness.codeOf(manager.load(url)), "INTERNAL_ERROR");
                }
            }
        });
        Harness.test("a loader is interrupted when nobody waits any more", () -> {
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<Boolean> told = new CompletableFuture<>();
            Loader loader = request -> {
                begun.countDown();
                try {
                    Thread.sleep(60000);
                } finally {
                    told.complete(request.isCancelled());
                }
                return null;
            };
            try (Manager manager = managerOf(loader)) {
                Load load = manager.load("mine:a");
                begun.await();
                load.cancel(true);
                Harness.expect(told.get(20, TimeUnit.SECONDS), true);
            }
        });
    }

    private static InputStream torn() throws Exception {
        return new FilterInputStream(new ByteArrayInputStream(Harness.bytes("badge.png"), 0, 100)) {
            @Override
            public int read(byte[] into, int at, int length) throws IOException {
                int count = super.read(into, at, length);
                if (count < 0) {
                    throw new IOException("torn");
                }
                return count;
            }
        };
    }

    private static void pieces() throws Exception {
        byte[] file = Harness.bytes("aurora.jpg");
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Loader loader = request -> {
            request.expect(file.length);
            return new FilterInputStream(new ByteArrayInputStream(file)) {
                @Override
                public int read(byte[] into, int at, int length) throws IOException {
                    try {
                        Thread.sleep(2);
                    } catch (InterruptedException interrupted) {
                        throw new IOException(interrupted);
                    }
                    return super.read(into, at, Math.min(length, 4000));
                }

                @Override
                public void close() {
                    closed.complete(true);
                }
            };
        };
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        LoadListener listener = new LoadListener() {
            @Override
            public void progress(long received, long expected) {
                told.add("of " + expected);
            }

            @Override
            public void partial(Result part) {
                told.add("part");
            }
        };
        try (Manager manager = managerOf(loader)) {
            manager.load(Request.of("mine:a").progressive(1), listener).join();
            Harness.expect(told.contains("part") && told.contains("of " + file.length), true);
            Harness.expect(closed.get(20, TimeUnit.SECONDS), true);
        }
    }
}
