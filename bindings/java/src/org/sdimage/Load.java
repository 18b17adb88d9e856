package org.sdimage;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A load under way: a future that fails with an SdimageException. Cancelling it cancels the load; futures that are made of it
 * do not.
 */
public final class Load extends CompletableFuture<Result> {
    private final Executor executor;
    private final LoadListener listener;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean isBusy;
    private Handle task;

    Load(Executor executor, LoadListener listener) {
        this.executor = executor;
        this.listener = listener;
    }

    synchronized void begin(long pointer) {
        task = new Handle(this, Handle.TASK, pointer);
        if (isDone()) {
            task.close();
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean isCancelled = super.cancel(mayInterrupt);
        synchronized (this) {
            if (isCancelled && task != null && task.isOpen()) {
                Native.taskCancel(task.pointer());
            }
        }
        return isCancelled;
    }

    /** On a thread of the library: only hands on. */
    void onResult(long pointer) {
        Result result = new Result(pointer);
        if (result.kind() == Result.Kind.FINAL) {
            later(() -> end(result));
        } else if (listener != null) {
            later(() -> listener.partial(result));
        }
    }

    void onProgress(long received, long expected) {
        if (listener != null) {
            later(() -> listener.progress(received, expected));
        }
    }

    private void end(Result result) {
        // A stale picture comes with the error of its renewal: that is a result.
        if (result.image() == null && result.error() != null) {
            completeExceptionally(result.error());
        } else {
            complete(result);
        }
        synchronized (this) {
            if (task != null) {
                task.close();
            }
        }
    }

    /** One after another, whatever the executor. */
    private synchronized void later(Runnable call) {
        waiting.add(call);
        if (!isBusy) {
            isBusy = true;
            submit();
        }
    }

    private void runNext() {
        Runnable call;
        synchronized (this) {
            call = waiting.remove();
        }
        try {
            call.run();
        } catch (Throwable thrown) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
        synchronized (this) {
            isBusy = !waiting.isEmpty();
            if (isBusy) {
                submit();
            }
        }
    }

    /** A load must end, also when its executor was shut down: then on a thread of its own. */
    private void submit() {
        try {
            executor.execute(this::runNext);
        } catch (RejectedExecutionException refused) {
            new Thread(this::runNext, "sdimage-late").start();
        }
    }
}
