package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.http.internal.HttpLimits;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

class S3HttpClientTest {
    /** Older SDKs send {@code Expect: 100-continue} with each put. */
    @Test
    void aPutDoesNotWaitForAnAnswerToExpect() throws Exception {
        CompletableFuture<Map<String, String>> received = new CompletableFuture<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
            received.complete(headers);
        });
        server.start();
        byte[] body = new byte[10];
        try (SystemTime time = new SystemTime();
                S3HttpClient client = new S3HttpClient(HttpLimits.OF_A_BUCKET, time)) {
            SdkHttpRequest put = SdkHttpRequest.builder()
                    .method(SdkHttpMethod.PUT)
                    .uri(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/bucket/key"))
                    .putHeader("Expect", "100-continue")
                    .putHeader("Content-Length", "10")
                    .putHeader("x-amz-meta-note", "kept")
                    .build();
            client.prepareRequest(HttpExecuteRequest.builder()
                            .request(put)
                            .contentStreamProvider(() -> new ByteArrayInputStream(body))
                            .build())
                    .call();
            assertThat(received.get(1, TimeUnit.MINUTES))
                    .containsEntry("x-amz-meta-note", "kept")
                    .containsEntry("Content-Length", "10")
                    .doesNotContainKey("Expect");
        } finally {
            server.stop(0);
        }
    }
}
