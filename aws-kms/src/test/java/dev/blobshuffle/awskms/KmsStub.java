package dev.blobshuffle.awskms;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server with the operation Decrypt of AWS KMS, as in its API reference: JSON 1.1, signed
 * requests. A wrapped key is the text {@code wrapped:ID:} and the key. It can be decrypted only
 * with the encryption context of its id.
 */
final class KmsStub implements AutoCloseable {
    private static final Pattern CIPHERTEXT = Pattern.compile("\"CiphertextBlob\":\"([^\"]*)\"");
    private static final Pattern CONTEXT =
            Pattern.compile("\"EncryptionContext\":\\{\"blobshuffle-key\":\"([^\"]*)\"}");

    /** The ids of the requested keys. */
    final List<String> asked = new CopyOnWriteArrayList<>();

    /**
     * The answer to every request, unless empty: a status and an error type. Without a type the
     * stub answers as a proxy that cannot reach KMS.
     */
    volatile String refusal = "";

    private final HttpServer server;

    KmsStub() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Wraps a key; returns it in Base64. */
    static String wrap(String id, byte[] key) {
        byte[] prefix = ("wrapped:" + id + ":").getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[prefix.length + key.length];
        System.arraycopy(prefix, 0, all, 0, prefix.length);
        System.arraycopy(key, 0, all, prefix.length, key.length);
        return Base64.getEncoder().encodeToString(all);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (!refusal.isEmpty()) {
            String[] parts = refusal.split(" ", 2);
            String error = parts[1].isEmpty() ? "Bad gateway" : "{\"__type\":\"" + parts[1] + "\",\"message\":\"no\"}";
            send(exchange, Integer.parseInt(parts[0]), error);
            return;
        }
        String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
        String signature = exchange.getRequestHeaders().getFirst("Authorization");
        Matcher ciphertext = CIPHERTEXT.matcher(body);
        Matcher context = CONTEXT.matcher(body);
        if (!"TrentService.Decrypt".equals(target)
                || signature == null
                || !signature.matches("AWS4-HMAC-SHA256 Credential=blobshuffle/\\d{8}/eu-central-1/kms/aws4_request,.*")
                || !ciphertext.find()
                || !context.find()) {
            send(exchange, 400, "{\"__type\":\"ValidationException\"}");
            return;
        }
        String id = context.group(1);
        asked.add(id);
        byte[] wrapped = Base64.getDecoder().decode(ciphertext.group(1));
        String prefix = "wrapped:" + id + ":";
        if (!new String(wrapped, StandardCharsets.ISO_8859_1).startsWith(prefix)) {
            send(exchange, 400, "{\"__type\":\"InvalidCiphertextException\"}");
            return;
        }
        byte[] key = java.util.Arrays.copyOfRange(wrapped, prefix.length(), wrapped.length);
        send(
                exchange,
                200,
                "{\"KeyId\":\"arn:aws:kms:eu-central-1:1:key/1\",\"EncryptionAlgorithm\":\"SYMMETRIC_DEFAULT\",\"Plaintext\":\""
                        + Base64.getEncoder().encodeToString(key) + "\"}");
    }

    private static void send(HttpExchange exchange, int status, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.1");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
