import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.sdimage.Load;
import org.sdimage.LoadListener;
import org.sdimage.Loader;
import org.sdimage.Manager;
import org.sdimage.Request;
import org.sdimage.Result;
import org.sdimage.Sdimage;

/** Executors and exception handlers that misbehave. */
final class ExecutorTests {
    private ExecutorTests() {}

    static void run() throws Exception {
        Executor broken = work -> {
            throw new IllegalStateException("no thread for you");
        };
        Harness.expect(loaded(broken, null).source(), "network");
        Executor careless = work -> {
            Thread thread = new Thread(work);
            thread.setUncaughtExceptionHandler((where, what) -> {
                throw new IllegalStateException(what);
            });
            thread.start();
        };
        Harness.expect(loaded(careless, new LoadListener() {
            @Override
            public void progress(long received, long expected) {
                throw new IllegalArgumentException("thrown");
            }
        }).source(), "network");
        waiting();
        throwing();
        stalled();
        nested();
    }

    /** An executor that runs the call, and also throws: no call runs twice. */
    private static void throwing() throws Exception {
        AtomicInteger uncaught = new AtomicInteger();
        Thread.setDefaultUncaughtExceptionHandler((where, what) -> uncaught.incrementAndGet());
        try {
            Executor both = work -> {
                work.run();
                throw new IllegalStateException("done, and thrown");
            };
            Harness.expect(loaded(both, null).source(), "network");
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().equals("sdimage-late")) {
                    thread.join(120000);
                }
            }
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(null);
        }
        Harness.expect(uncaught.get(), 0);
    }

    private static Result loaded(Executor executor, LoadListener listener) throws Exception {
        try (Manager manager = Manager.builder().noCache().executor(executor).build()) {
            return manager.load(Request.of(Harness.fresh("badge.png", "")), listener).get(120, TimeUnit.SECONDS);
        }
    }

    /** An executor that waits for another thread, which needs the load. */
    private static void waiting() throws Exception {
        CompletableFuture<Load> started = new CompletableFuture<>();
        AtomicBoolean isStuck = new AtomicBoolean();
        Executor executor = work -> {
            Thread other = new Thread(() -> started.join().cancel(true));
            other.start();
            try {
                other.join(60000);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            isStuck.compareAndSet(false, other.isAlive());
            work.run();
        };
        try (Manager manager = Manager.builder().noCache().executor(executor).build()) {
            started.complete(manager.load(Harness.fresh("badge.png", "")));
            while (manager.runningCount() > 0) {
                Thread.sleep(1);
            }
        }
        Harness.expect(isStuck.get(), false);
    }

    /** An executor that runs nothing until the load has ended: only the newest part and the newest progress are held. */
    private static void stalled() throws Exception {
        byte[] file = Harness.bytes("aurora.jpg");
        Loader slow = request -> Harness.slowly(file);
        List<Object> parts = new ArrayList<>(), reports = new ArrayList<>();
        LoadListener listener = new LoadListener() {
            @Override
            public void progress(long received, long expected) {
                reports.add(received);
            }

            @Override
            public void partial(Result part) {
                parts.add(part.image().pixels()); // not closed
            }
        };
        BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        long handles = Harness.collected();
        Manager manager = Manager.builder().noCache().executor(queue::add).loader("slow", slow).build();
        Load load = manager.load(Request.of("slow:a").progressive(1), listener);
        while (manager.runningCount() > 0) {
            Thread.sleep(1);
        }
        manager.close(); // returns after the last callback
        Harness.expect(Sdimage.liveHandles() - handles <= 4, true); // the load, a part, the image and its bytes
        for (Runnable work; (work = queue.poll()) != null; ) {
            work.run();
        }
        Harness.expect(load.join().image().width(), 1000);
        Harness.expect(parts.size() <= 1 && reports.size() <= 1, true);
    }

    /** A load cancelled on the thread of the library, where its end may be delivered within the call. */
    private static void nested() throws Exception {
        AtomicBoolean isHeld = new AtomicBoolean();
        CompletableFuture<Load> other = new CompletableFuture<>();
        Executor executor = work -> {
            isHeld.compareAndSet(false, other.isDone() && Thread.holdsLock(other.join()));
            work.run();
        };
        Harness.Gate gate = new Harness.Gate();
        try (Manager manager = Manager.builder().noCache().executor(executor).loader("gated", gate).build()) {
            other.complete(manager.load(Harness.fresh("badge.png", "fault=hang")));
            Load first = manager.load("gated:a");
            CompletableFuture<Void> cancelled = first.thenRun(() -> other.join().cancel(true));
            gate.open();
            cancelled.get(120, TimeUnit.SECONDS);
            Harness.expect(Harness.codeOf(other.join()), "CANCELLED");
            while (manager.runningCount() > 0) {
                Thread.sleep(1);
            }
        }
        Harness.expect(isHeld.get(), false);
    }
}
