import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.sdimage.Cache;
import org.sdimage.CacheLayers;
import org.sdimage.CachePolicy;
import org.sdimage.DecodeOptions;
import org.sdimage.DeliveryKind;
import org.sdimage.Format;
import org.sdimage.Freshness;
import org.sdimage.Image;
import org.sdimage.Load;
import org.sdimage.LoadListener;
import org.sdimage.Manager;
import org.sdimage.Priority;
import org.sdimage.Request;
import org.sdimage.Result;
import org.sdimage.SdimageException;
import org.sdimage.SourcePolicy;
import org.sdimage.Stage;

final class LoadTests {
    private LoadTests() {}

    static void run() {
        Harness.test("a picture comes from the network, then from memory, then from the disk", () -> {
            Path directory = Harness.folder();
            String url = Harness.fresh("balloons.jpg", "");
            int before = Harness.hits("balloons.jpg");
            for (String wanted : new String[] {"network", "disk"}) {
                try (
                        Cache cache = Cache.builder().directory(directory).build();
                        Manager manager = Manager.builder().cache(cache).build()) {
                    Result result = manager.load(Request.of(url).waitForStore(true)).join();
                    Harness.expect(result.source(), wanted);
                    Harness.expect(result.data().compareTo(ByteBuffer.wrap(Harness.bytes("balloons.jpg"))), 0);
                    Harness.expect(result.timeNs(Stage.LOAD) > 0, wanted.equals("network"));
                    Harness.expect(result.timeNs(Stage.TOTAL) > result.timeNs(Stage.DECODE) && result.timeNs(Stage.DECODE) > 0, true);
                    Harness.expect(manager.load(url).join().source(), "memory");
                }
            }
            Harness.expect(Harness.hits("balloons.jpg"), before + 1);
        });
        Harness.test("a thumbnail has the size asked for", () -> {
            try (Manager manager = Manager.builder().noCache().build()) {
                Request request = Request.of(Harness.fresh("aurora.jpg", "")).thumbnail(200, 200);
                Image image = manager.load(request).get(120, TimeUnit.SECONDS).image();
                Harness.expect(image, "Image 200 x 125 RGB8");
                Harness.expect(image.sourceWidth() + " " + image.isThumbnail() + " " + image.format(), "1000 true " + Format.JPEG);
            }
        });
        Harness.test("the error of a call without a result has its message", () -> {
            try (Cache cache = Cache.builder().memoryOnly().build()) {
                cache.remove("", CacheLayers.ALL);
                throw new AssertionError("it was accepted");
            } catch (SdimageException error) {
                Harness.expect(error.code() + " " + error.getMessage().isEmpty(), "INVALID_ARGUMENT false");
            }
        });
        Harness.test("what exceeds a safety limit is refused", () -> {
            try (Manager manager = Manager.builder().noCache().build()) {
                long length = Harness.bytes("balloons.jpg").length;
                Request request = Request.of(Harness.fresh("balloons.jpg", ""));
                Harness.expect(Harness.codeOf(manager.load(request.maxBodyBytes(length - 1))), "TOO_LARGE");
                manager.load(request.maxBodyBytes(length)).join();
                DecodeOptions options = DecodeOptions.DEFAULT;
                for (DecodeOptions limited : List.of(options.maxPixels(1000), options.maxBytes(1000))) {
                    Harness.expect(Harness.codeOf(manager.load(request.decode(limited))), "TOO_LARGE");
                }
                byte[] large = Harness.bytes("ink-garden.jpg");
                Harness.expect(Harness.codeOf(() -> Image.decode(large, options.maxWorkMs(1))), "TIMEOUT");
                Image.decode(large, options.maxWorkMs(600000));
            }
        });
        Harness.test("a transient failure is retried as often as the load allows", () -> {
            try (Manager manager = Manager.builder().noCache().build()) {
                // The origin counts the requests of this path, which no other test loads.
                Request once = Request.of(Harness.fresh("ripples.png", "status=503&first=1"));
                Harness.expect(Harness.codeOf(manager.load(once.maxRetries(0))), "HTTP_STATUS");
                manager.load(Request.of(Harness.fresh("ripples.png", "status=503&first=2")).maxRetries(1)).join();
            }
        });
        Harness.test("the cache policy of a load counts", () -> {
            String url = Harness.fresh("badge.png", "");
            try (Cache cache = Cache.builder().memoryOnly().build();
                    Manager manager = Manager.builder().cache(cache).build()) {
                Request cached = Request.of(url).sourcePolicy(SourcePolicy.CACHE_ONLY);
                manager.load(Request.of(url).cachePolicy(CachePolicy.NONE)).join();
                Harness.expect(manager.load(cached).join().image(), null);
                Request reloaded = Request.of(url).cachePolicy(CachePolicy.SKIP_MEMORY_READ, CachePolicy.SKIP_DISK_READ);
                manager.load(reloaded).join();
                Harness.expect(manager.load(reloaded).join().source(), "network");
                Harness.expect(manager.load(cached).join().source(), "memory");
            }
        });
        Harness.test("a header field of null is not sent, one of the program is", LoadTests::headers);
        Harness.test("a listener hears of progress and parts, in order, before the end", LoadTests::listener);
        Harness.test("cancelling the future cancels the load", () -> {
            try (Manager manager = Manager.builder().noCache().build()) {
                Load load = manager.load(Harness.fresh("badge.png", "fault=hang"));
                Harness.expect(load.cancel(true), true);
                Harness.expect(load.cancel(true) + " " + Harness.codeOf(load), "true CANCELLED");
                while (manager.runningCount() > 0) {
                    Thread.onSpinWait();
                }
                Load whole = manager.load(Harness.fresh("badge.png", "fault=hang"));
                manager.cancelAll();
                Harness.expect(Harness.codeOf(whole), "CANCELLED");
            }
        });
        Harness.test("the priority of a load changes", () -> {
            try (Manager manager = Manager.builder().noCache().build()) {
                Request request = Request.of(Harness.fresh("badge.png", "fault=hang")).priority(Priority.LOW);
                Load load = manager.load(request);
                Harness.expect(load.priority(), "LOW");
                load.setPriority(Priority.HIGH);
                Harness.expect(load.priority(), "HIGH");
                manager.cancelAll();
                Harness.expect(Harness.codeOf(load) + " " + load.priority(), "CANCELLED HIGH");
                Load whole = manager.load(Request.of(Harness.fresh("badge.png", "")).priority(Priority.HIGH));
                whole.join();
                Harness.expect(whole.priority(), "HIGH");
                whole.setPriority(Priority.LOW);
                Harness.expect(whole.priority(), "LOW");
            }
        });
        Harness.test("flushing completes what is still being encoded", LoadTests::flush);
        Harness.test("errors have codes, HTTP status and URL", () -> {
            String url = Harness.fresh("none.png", "");
            Manager manager = Manager.builder().noCache().build();
            Load load = manager.load(url);
            Harness.expect(Harness.codeOf(load), "HTTP_STATUS");
            SdimageException error = (SdimageException) load.handle((result, thrown) -> thrown).join();
            Harness.expect(error.httpStatus() + " " + error.url() + " " + error.isTransient(), "404 " + url + " false");
            Harness.expect(Harness.codeOf(manager.load(Harness.fresh("badge.png", "fault=html"))), "NOT_AN_IMAGE");
            Harness.expect(Harness.codeOf(manager.load("")), "INVALID_URL");
            Harness.expect(Harness.codeOf(manager.load("file:///\ud83d\ude00.png")), "NOT_FOUND");
            manager.close();
            manager.close();
            Harness.expect(Harness.codeOf(() -> manager.load(url)), "java.lang.IllegalStateException: object: closed");
        });
        Harness.test("a refresh shows what was cached first", () -> {
            try (
                    Cache cache = Cache.builder().directory(Harness.folder()).build();
                    Manager manager = Manager.builder().cache(cache).build()) {
                Request request = Request.of(Harness.fresh("leaf.webp", ""));
                manager.load(request.waitForStore(true)).join();
                List<DeliveryKind> kinds = Collections.synchronizedList(new ArrayList<>());
                Result result = manager.load(request.freshness(Freshness.REFRESH), new LoadListener() {
                    @Override
                    public void partial(Result part) {
                        kinds.add(part.kind());
                    }
                }).join();
                Harness.expect(kinds + " " + result.isChanged(), "[CACHED] false");
                Request wrong = request.header("a\nb", "c").sourcePolicy(SourcePolicy.LOADER_ONLY);
                Harness.expect(Harness.codeOf(manager.load(wrong)), "INVALID_REQUEST");
                manager.setOffline(true);
                Load refused = manager.load(Harness.fresh("leaf.webp", ""));
                Harness.expect(manager.isOffline() + " " + Harness.codeOf(refused), "true OFFLINE");
            }
        });
        Harness.test("a cache keeps pictures and bytes of its own", LoadTests::cache);
    }

    private static void headers() throws Exception {
        List<String> sent = Collections.synchronizedList(new ArrayList<>());
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            sent.add(exchange.getRequestHeaders().getFirst("Accept") + " " + exchange.getRequestHeaders().getFirst("X-Own"));
            exchange.sendResponseHeaders(404, -1);
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        try (Manager manager = Manager.builder().noCache().build()) {
            Request request = Request.of(url + "a").header("Accept", "image/gif").header("X-Own", "1");
            Harness.expect(Harness.codeOf(manager.load(request)), "HTTP_STATUS");
            Request omitted = Request.of(url + "b").header("Accept", null).header("X-Own", "1").header("X-Own", null);
            Harness.expect(Harness.codeOf(manager.load(omitted)), "HTTP_STATUS");
        } finally {
            server.stop(0);
        }
        Harness.expect(sent, "[image/gif 1, null null]");
        Harness.expect(Harness.codeOf(() -> Request.of(url).header(null, "1")), "java.lang.NullPointerException: header: name is null");
    }

    private static void listener() throws Exception {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        Harness.Gate gate = new Harness.Gate();
        LoadListener listener = new LoadListener() {
            private long before;

            @Override
            public void progress(long received, long expected) {
                told.add(received >= before && (received == 0 || expected == 31919) ? "progress" : received + " of " + expected);
                before = received;
            }

            @Override
            public void partial(Result part) {
                told.add(part.kind() == DeliveryKind.PARTIAL && part.image() != null ? "part" : "no part");
                gate.open();
            }
        };
        try (Manager manager = Manager.builder().noCache().loader("gated", gate).build()) {
            manager.load(Request.of("gated:a").progressive(1), listener).thenAccept(result -> told.add("end " + result.image().isIncremental())).join();
        }
        Harness.expect(told.get(told.size() - 1), "end false");
        Harness.expect(told.contains("progress") && told.contains("part"), true);
        told.removeIf(word -> word.equals("progress") || word.equals("part"));
        Harness.expect(told, "[end false]");
    }

    private static void flush() throws Exception {
        Cache cache = Cache.builder().directory(Harness.folder()).build();
        Manager manager = Manager.builder().cache(cache).build();
        String[] names = {"badge.png", "aurora.jpg", "leaf.webp"};
        for (String name : names) {
            manager.load(Request.of(Harness.fresh(name, "")).thumbnail(64, 64)).join();
        }
        manager.flush(120000);
        Harness.expect(cache.diskCount(), 2 * names.length); // originals and thumbnails
        Harness.refused(() -> manager.flush(-1));
        Harness.refused(() -> manager.flush(1L << 32));
        manager.flush();
        cache.close();
        Harness.expect(Harness.codeOf(() -> manager.flush()), "SHUTDOWN");
        manager.close();
        Harness.expect(Harness.codeOf(() -> manager.flush()), "java.lang.IllegalStateException: object: closed");
    }

    private static void cache() throws Exception {
        byte[] file = Harness.bytes("badge.png");
        Image image = Image.decode(file);
        Cache cache = Cache.builder().directory(Harness.folder()).maxMemoryCount(10).build();
        cache.store("k", image, file, CacheLayers.ALL);
        Harness.expect(cache.contains("k") + " " + cache.memoryImage("k").width(), "ALL " + image.width());
        cache.clear(CacheLayers.MEMORY);
        Harness.expect(cache.contains("k") + " " + cache.memoryImage("k"), "DISK null");
        Harness.expect(cache.image("k", DecodeOptions.DEFAULT.thumbnail(10, 10)).width(), 10);
        Harness.expect(java.util.Arrays.equals(cache.data("k"), file) + " " + cache.diskCount(), "true 1");
        cache.remove("k", CacheLayers.ALL);
        Harness.expect(cache.data("k") + " " + cache.image("k", DecodeOptions.DEFAULT), "null null");
        cache.setMemoryImage("m", image);
        Harness.expect(cache.contains("m"), "MEMORY");
        cache.flush();
        cache.close();
        cache.close();
        Harness.expect(Harness.codeOf(() -> cache.data("k")), "java.lang.IllegalStateException: object: closed");
        for (long age : new long[] {0, -1, 60}) {
            try (Cache aged = Cache.builder().directory(Harness.folder()).maxDiskAge(age).build()) {
                aged.store("k", null, file, CacheLayers.DISK);
                Harness.expect(aged.data("k") == null, age == 0); // an age of 0 has passed at once
            }
        }
    }
}
