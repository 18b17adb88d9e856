import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.sdimage.Load;
import org.sdimage.LoadListener;
import org.sdimage.Manager;
import org.sdimage.Request;
import org.sdimage.Result;

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
                    thread.join(20000);
                }
            }
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(null);
        }
        Harness.expect(uncaught.get(), 0);
    }

    private static Result loaded(Executor executor, LoadListener listener) throws Exception {
        try (Manager manager = Manager.builder().noCache().executor(executor).build()) {
            return manager.load(Request.of(Harness.fresh("badge.png", "")), listener).get(20, TimeUnit.SECONDS);
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
                other.join(5000);
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
}
