package dev.blobshuffle.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What matters of a directory bucket of S3 Express One Zone: requests need the token of a session
 * that {@code CreateSession} makes, and a listing needs a prefix that ends with a slash. Checks no
 * signatures. Thread-safe.
 */
final class DirectoryBucket implements AutoCloseable {
    static final String NAME = "blobs--use1-az4--x-s3";
    private static final String TOKEN = "token-of-the-session";
    private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final List<String> sessions = new CopyOnWriteArrayList<>();

    DirectoryBucket() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** The URI of a store in it. */
    String uri() {
        return "s3://" + NAME + "/shop?region=us-east-1&path-style=true&endpoint=http://127.0.0.1:"
                + server.getAddress().getPort();
    }

    /** Requests that such a bucket refuses. */
    List<String> refused() {
        return refused;
    }

    /** The requests for a session. */
    List<String> sessions() {
        return sessions;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Map<String, String> query = query(exchange);
            String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            boolean hasToken = TOKEN.equals(exchange.getRequestHeaders().getFirst("x-amz-s3session-token"));
            if (query.containsKey("session")) {
                sessions.add(line);
                send(exchange, 200, session());
            } else if (!hasToken) {
                refused.add("no session: " + line);
                send(exchange, 403, error("AccessDenied"));
            } else if (query.containsKey("list-type")) {
                list(exchange, query, line);
            } else if (query.containsKey("delete")) {
                KEY.matcher(new String(body, StandardCharsets.UTF_8))
                        .results()
                        .forEach(key -> objects.remove(key.group(1)));
                send(exchange, 200, "<DeleteResult/>");
            } else {
                serve(exchange, body);
            }
        }
    }

    private static Map<String, String> query(HttpExchange exchange) {
        Map<String, String> query = new HashMap<>();
        String text =
                Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
        for (String pair : text.split("&", -1)) {
            String[] parts = pair.split("=", 2);
            query.put(parts[0], parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    private void list(HttpExchange exchange, Map<String, String> query, String line) throws IOException {
        String prefix = query.getOrDefault("prefix", "");
        if (!prefix.isEmpty() && !prefix.endsWith("/")) {
            refused.add("prefix without a slash: " + line);
            send(exchange, 400, error("InvalidRequest"));
            return;
        }
        boolean isCut = query.containsKey("delimiter");
        StringBuilder answer = new StringBuilder("<ListBucketResult><IsTruncated>false</IsTruncated>");
        TreeSet<String> directories = new TreeSet<>();
        for (String key : objects.keySet()) {
            if (key.startsWith(prefix)) {
                int slash = key.indexOf('/', prefix.length());
                if (isCut && slash >= 0) {
                    directories.add(key.substring(0, slash + 1));
                } else {
                    answer.append("<Contents><Key>" + key + "</Key><LastModified>" + Instant.now()
                            + "</LastModified></Contents>");
                }
            }
        }
        directories.forEach(
                directory -> answer.append("<CommonPrefixes><Prefix>" + directory + "</Prefix></CommonPrefixes>"));
        send(exchange, 200, answer + "</ListBucketResult>");
    }

    private void serve(HttpExchange exchange, byte[] body) throws IOException {
        String key = exchange.getRequestURI().getPath().substring(NAME.length() + 2);
        exchange.getResponseHeaders().set("ETag", "\"1\"");
        exchange.getResponseHeaders().set("Last-Modified", "Mon, 30 Nov 2026 08:00:00 GMT");
        if (exchange.getRequestMethod().equals("PUT")) {
            boolean isNew = objects.putIfAbsent(key, body) == null;
            boolean isRefused = !isNew && exchange.getRequestHeaders().containsKey("If-None-Match");
            if (!isNew && !isRefused) {
                objects.put(key, body);
            }
            send(exchange, isRefused ? 412 : 200, isRefused ? error("PreconditionFailed") : "");
            return;
        }
        byte[] found = objects.get(key);
        if (found == null) {
            send(exchange, 404, exchange.getRequestMethod().equals("HEAD") ? "" : error("NoSuchKey"));
        } else if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", String.valueOf(found.length));
            exchange.sendResponseHeaders(200, -1);
        } else {
            range(exchange, found);
        }
    }

    private static void range(HttpExchange exchange, byte[] found) throws IOException {
        Matcher range = Pattern.compile("bytes=(\\d+)-(\\d+)")
                .matcher(Optional.ofNullable(exchange.getRequestHeaders().getFirst("Range"))
                        .orElse(""));
        int from = range.matches() ? Integer.parseInt(range.group(1)) : 0;
        int to = range.matches() ? Math.min(found.length, Integer.parseInt(range.group(2)) + 1) : found.length;
        exchange.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + found.length);
        exchange.sendResponseHeaders(206, to - from);
        exchange.getResponseBody().write(Arrays.copyOfRange(found, from, to));
    }

    private static String session() {
        return "<CreateSessionResult><Credentials><AccessKeyId>session</AccessKeyId>"
                + "<SecretAccessKey>secret</SecretAccessKey><SessionToken>" + TOKEN + "</SessionToken><Expiration>"
                + Instant.now().plusSeconds(300) + "</Expiration></Credentials></CreateSessionResult>";
    }

    private static String error(String code) {
        return "<Error><Code>" + code + "</Code><Message>The test says so.</Message></Error>";
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
