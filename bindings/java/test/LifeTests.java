import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.sdimage.Cache;
import org.sdimage.Format;
import org.sdimage.HandleProbe;
import org.sdimage.Image;
import org.sdimage.Load;
import org.sdimage.LoadListener;
import org.sdimage.Loader;
import org.sdimage.Manager;
import org.sdimage.PixelFormat;
import org.sdimage.Request;
import org.sdimage.Result;

/** Leaks of handles, pixels and processes. */
final class LifeTests {
    private static final Loader NEVER = request -> {
        new CountDownLatch(1).await();
        return null;
    };

    private LifeTests() {}

    static void run() {
        Harness.test("thousands of loads leave nothing behind", LifeTests::thousands);
        Harness.test("a storm of cancellations ends every load once", LifeTests::storm);
        Harness.test("closing ends what runs with SHUTDOWN", () -> {
            Manager manager = Manager.builder().noCache().loader("mine", NEVER).build();
            List<Load> loads = new ArrayList<>(List.of(manager.load("mine:never")));
            for (int index = 0; index < 20; index++) {
                loads.add(manager.load(Harness.fresh("badge.png", "fault=hang")));
            }
            manager.close();
            for (Load load : loads) {
                Harness.expect(Harness.codeOf(load), "SHUTDOWN");
            }
        });
        Harness.test("what a listener throws reaches the thread’s handler, and the load ends all the same", () -> {
            AtomicInteger thrown = new AtomicInteger();
            ExecutorService executor = Executors.newSingleThreadExecutor(work -> {
                Thread thread = new Thread(work);
                thread.setUncaughtExceptionHandler((where, what) -> thrown.incrementAndGet());
                return thread;
            });
            Harness.Gate gate = new Harness.Gate();
            try (Manager manager = Manager.builder().noCache().executor(executor).loader("gated", gate).build()) {
                Result result = manager.load(Request.of("gated:a"), new LoadListener() {
                    @Override
                    public void progress(long received, long expected) {
                        gate.open();
                        throw new IllegalArgumentException("thrown");
                    }
                }).get(120, TimeUnit.SECONDS);
                Harness.expect(result.image() != null && thrown.get() > 0, true);
                executor.shutdown();
                Harness.expect(manager.load(Harness.fresh("badge.png", "")).get(120, TimeUnit.SECONDS).source(), "network");
            }
        });
        Harness.test("a load holds its manager", () -> {
            Harness.Gate gate = new Harness.Gate();
            Load load = Manager.builder().noCache().loader("gated", gate).build().load("gated:a");
            for (int round = 0; round < 5; round++) {
                System.gc();
                Thread.sleep(20); // the cleaner has a thread of its own
            }
            gate.open();
            Harness.expect(load.get(120, TimeUnit.SECONDS).image().width(), 1000);
        });
        Harness.test("a loader that refers to its manager is collected", () -> {
            long handles = Harness.collected();
            for (int round = 0; round < 20; round++) {
                cycle();
            }
            Harness.expect(Harness.settled(handles) <= handles, true);
        });
        Harness.test("what is closed while it is used goes after that", () -> {
            Harness.collected();
            Harness.expect(HandleProbe.closedWhileUsed(), "1 0");
        });
        Harness.test("what no handle could be made for is given back", () -> {
            Harness.collected();
            long pixels = Harness.livePixels();
            Harness.expect(HandleProbe.refused(new byte[512 * 512], 512), "0");
            Harness.expect(Harness.livePixels() <= pixels, true);
        });
        Harness.test("a load ends, whatever its executor does", ExecutorTests::run);
        Harness.test("a program that just ends does", () -> {
            Harness.expect(start("exits"), 7);
            Harness.expect(start("returns"), 0);
        });
        // The suite builds the library that refuses chains.
        Harness.test("a manager without memory for its loaders is refused", () -> {
            Harness.expect(start("refused", Map.of("LD_PRELOAD", System.getenv("SDIMAGE_JAVA_NO_CHAIN"))), 0);
        });
    }

    /** Makes garbage: a manager that nothing closes, and a loader that refers to it. */
    private static void cycle() throws Exception {
        byte[] file = Image.ofPixels(1, 1, 1, PixelFormat.GRAY8, new byte[1]).encode(Format.PNG);
        Manager[] owner = new Manager[1];
        owner[0] = Manager.builder().noCache().loader("mine", request -> {
            Harness.expect(owner[0].isOffline(), false);
            return new ByteArrayInputStream(file);
        }).build();
        Harness.expect(owner[0].load("mine:a").get(120, TimeUnit.SECONDS).image().width(), 1);
    }

    private static void thousands() throws Exception {
        long handles = Harness.collected(), pixels = Harness.livePixels();
        byte[] gray = new byte[512 * 512]; // the library counts large bitmaps only
        java.util.Arrays.fill(gray, (byte) 77);
        byte[] file = Image.ofPixels(512, 512, 512, PixelFormat.GRAY8, gray).encode(Format.PNG);
        Request request = Request.of("data:image/png;base64," + Base64.getEncoder().encodeToString(file));
        try (
                Cache cache = Cache.builder().memoryOnly().maxMemoryCount(50).build();
                Manager manager = Manager.builder().cache(cache).build()) {
            for (int round = 0; round < 30; round++) {
                List<Load> loads = new ArrayList<>();
                for (int index = 0; index < 100; index++) {
                    loads.add(manager.load(request.cacheKey(round + "-" + index)));
                }
                for (Load load : loads) {
                    Harness.expect(load.join().image().pixels().get(7), 77);
                }
            }
            Harness.expect(manager.runningCount(), 0);
        }
        Harness.expect(Harness.settled(handles) <= handles, true);
        // A thread of the library may hold the last image for a moment.
        for (int tries = 0; tries < 10000 && Harness.livePixels() > pixels; tries++) {
            Thread.sleep(10);
        }
        Harness.expect(Harness.livePixels() <= pixels, true);
    }

    private static void storm() throws Exception {
        long handles = Harness.collected();
        Map<Load, AtomicInteger> ends = new ConcurrentHashMap<>();
        Manager manager = Manager.builder().noCache().build();
        for (int index = 0; index < 500; index++) {
            Load load = manager.load(Harness.fresh("badge.png", index % 3 == 0 ? "" : "delay_ms=20"));
            ends.put(load, new AtomicInteger());
            load.whenComplete((result, error) -> ends.get(load).incrementAndGet());
            if (index % 4 != 0) {
                load.orTimeout(1 + index % 17, TimeUnit.MILLISECONDS);
                load.exceptionally(error -> null);
            }
            if (index % 2 == 0) {
                load.cancel(false);
            }
        }
        // Listeners of an end run on any thread.
        while (ends.values().stream().anyMatch(count -> count.get() == 0)) {
            Thread.sleep(1);
        }
        manager.cancelAll();
        while (manager.runningCount() > 0) {
            Thread.sleep(1);
        }
        for (AtomicInteger count : ends.values()) {
            Harness.expect(count.get(), 1);
        }
        manager.close();
        ends.clear();
        Harness.expect(Harness.settled(handles) <= handles, true);
    }

    /** Runs this program again; returns its exit status. */
    private static int start(String what) throws Exception {
        return start(what, Map.of());
    }

    private static int start(String what, Map<String, String> environment) throws Exception {
        String java = ProcessHandle.current().info().command().orElse("java");
        List<String> command = List.of(java, "-Dorg.sdimage.library=" + System.getProperty("org.sdimage.library"), "-cp",
                System.getProperty("java.class.path"), "Main", what);
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(300, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return -1;
        }
        return process.exitValue();
    }

    /** A program with loads in progress, or one whose manager is refused. */
    static void program(String what) throws Exception {
        if (what.equals("refused")) {
            String code = Harness.codeOf(() -> Manager.builder().noCache().loader("mine", NEVER).build());
            System.exit(code.equals("NO_MEMORY") ? 0 : 1);
        }
        Manager manager = Manager.builder().noCache().loader("mine", NEVER).build();
        for (int index = 0; index < 50; index++) {
            manager.load(Harness.fresh("badge.png", "fault=hang"));
            manager.load(Harness.fresh("badge.png", ""));
        }
        manager.load("mine:a");
        if (what.equals("exits")) {
            System.exit(7);
        }
    }
}
