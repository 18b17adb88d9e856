import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.sdimage.Load;
import org.sdimage.LoadListener;
import org.sdimage.Loader;
import org.sdimage.Manager;
import org.sdimage.Request;
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
        Harness.test("a stream is read to its end and closed", LoaderTests::closing);
        Harness.test("what a loader throws is the error of the load", () -> {
            Loader loader = request -> {
                switch (request.url()) {
                    case "mine:own":
                        throw new SdimageException("PERMISSION_DENIED", "not for you");
                    case "mine:null":
                        return null;
                    case "mine:code":
                        throw new SdimageException(null, "an error without a code");
                    case "mine:half":
                        return torn();
                    default:
                        throw new StackOverflowError();
                }
            };
            try (Manager manager = managerOf(loader)) {
                Harness.expect(Harness.codeOf(manager.load("mine:own")), "PERMISSION_DENIED");
                for (String url : List.of("mine:null", "mine:code", "mine:half", "mine:else")) {
                    Harness.expect(Harness.codeOf(manager.load(url)), "INTERNAL_ERROR");
                }
            }
        });
        Harness.test("a negative length announces nothing", () -> {
            byte[] file = Harness.bytes("badge.png");
            List<Long> lengths = Collections.synchronizedList(new ArrayList<>());
            Loader loader = request -> {
                request.expect(-1);
                return Harness.slowly(file);
            };
            try (Manager manager = managerOf(loader)) {
                manager.load(Request.of("mine:a"), new LoadListener() {
                    @Override
                    public void progress(long received, long expected) {
                        lengths.add(expected);
                    }
                }).join();
            }
            Harness.expect(lengths.stream().allMatch(length -> length == -1), true);
        });
        Harness.test("every loader that began hears of a cancellation", LoaderTests::cancellations);
        Harness.test("an error that cannot tell what it is ends the load, too", () -> {
            Loader loader = request -> {
                throw new IOException() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("no words");
                    }
                };
            };
            try (Manager manager = managerOf(loader)) {
                Load load = manager.load("mine:a");
                load.handle((result, thrown) -> thrown).get(120, TimeUnit.SECONDS);
                Harness.expect(Harness.codeOf(load), "INTERNAL_ERROR");
            }
        });
        Harness.test("a loader is interrupted when no caller is waiting", () -> {
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
                Harness.expect(told.get(120, TimeUnit.SECONDS), true);
            }
        });
    }

    /** Includes a cancellation before the loader's thread, or before that thread is registered. */
    private static void cancellations() throws Exception {
        AtomicInteger begun = new AtomicInteger(), told = new AtomicInteger();
        Loader loader = request -> {
            begun.incrementAndGet();
            try {
                Thread.sleep(60000);
            } finally {
                told.addAndGet(request.isCancelled() ? 1 : 0);
            }
            return null;
        };
        try (Manager manager = managerOf(loader)) {
            for (int index = 0; index < 500; index++) {
                Load load = manager.load("mine:" + index);
                for (int pause = 0; pause < index % 50; pause++) {
                    Thread.onSpinWait();
                }
                load.cancel(true);
            }
            while (manager.runningCount() > 0) {
                Thread.sleep(1);
            }
            for (int tries = 0; tries < 20000 && told.get() < begun.get(); tries++) {
                Thread.sleep(5);
            }
            Harness.expect(told.get(), begun.get());
        }
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

    private static void closing() throws Exception {
        byte[] file = Harness.bytes("aurora.jpg");
        AtomicBoolean isClosed = new AtomicBoolean();
        Loader loader = request -> new FilterInputStream(new ByteArrayInputStream(file)) {
            @Override
            public int read(byte[] into, int at, int length) throws IOException {
                return super.read(into, at, Math.min(length, 1000));
            }

            @Override
            public void close() {
                isClosed.set(true);
            }
        };
        try (Manager manager = managerOf(loader)) {
            Harness.expect(manager.load("mine:a").join().data().compareTo(ByteBuffer.wrap(file)), 0);
            Harness.expect(isClosed.get(), true); // before the end of the load is reported
        }
    }
}
