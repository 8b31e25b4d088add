package dev.blobshuffle.s3sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.planner.LatencyProfile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class S3SimTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private S3Sim sim = S3Sim.builder().bucket("blobs").start();

    @AfterEach
    void close() {
        sim.close();
    }

    @Test
    void anObjectIsReadBack() throws Exception {
        byte[] bytes = bytes(3_000_017);
        HttpResponse<byte[]> put = put("a/b", bytes);
        assertThat(put.statusCode()).isEqualTo(200);
        HttpResponse<byte[]> get = get("a/b");
        assertThat(get.statusCode()).isEqualTo(200);
        assertThat(get.body()).isEqualTo(bytes);
        assertThat(get.headers().firstValue("ETag")).isEqualTo(put.headers().firstValue("ETag"));
        HttpResponse<byte[]> head = send(request("/blobs/a/b").method("HEAD", BodyPublishers.noBody()));
        assertThat(head.headers().firstValue("Content-Length")).contains("3000017");
        assertThat(sim.counts("blobs").bytesIn()).isEqualTo(bytes.length);
        assertThat(sim.counts().bytesOut()).isEqualTo(bytes.length);
        assertThat(sim.counts().of(Operation.PUT_OBJECT)).isEqualTo(1);
        assertThat(sim.counts().of(Operation.HEAD_OBJECT)).isEqualTo(1);
    }

    @Test
    void aRangeIsExactlyItsBytes() throws Exception {
        byte[] bytes = bytes(100_000);
        put("a", bytes);
        assertRange("bytes=0-0", bytes, 0, 1);
        assertRange("bytes=99999-99999", bytes, 99_999, 100_000);
        assertRange("bytes=4096-12287", bytes, 4096, 12_288);
        assertRange("bytes=99990-200000", bytes, 99_990, 100_000);
        assertRange("bytes=500-", bytes, 500, 100_000);
        assertRange("bytes=-7", bytes, 99_993, 100_000);
        assertError(send(request("/blobs/a").header("Range", "bytes=100000-100001")), 416, "InvalidRange");
    }

    private void assertRange(String range, byte[] bytes, int from, int to) throws Exception {
        HttpResponse<byte[]> part = send(request("/blobs/a").header("Range", range));
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(bytes, from, to));
        assertThat(part.headers().firstValue("Content-Range"))
                .contains("bytes " + from + "-" + (to - 1) + "/" + bytes.length);
    }

    @Test
    void whatIsNotThereHasItsErrors() throws Exception {
        assertError(get("nothing"), 404, "NoSuchKey");
        assertError(send(request("/elsewhere/a")), 404, "NoSuchBucket");
        assertThat(send(request("/blobs/a").method("HEAD", BodyPublishers.noBody()))
                        .body())
                .isEmpty();
        assertThat(send(request("/blobs/a").DELETE()).statusCode()).isEqualTo(204);
        assertError(send(request("/blobs/a?uploads").POST(BodyPublishers.noBody())), 501, "NotImplemented");
        assertThat(sim.counts().failed(Operation.GET_OBJECT)).isEqualTo(2);
    }

    @Test
    void aListingHasPagesAndCommonPrefixesAndEveryKeyOnce() throws Exception {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            keys.add("r/" + (char) ('a' + i % 5) + "/" + i + "&<x y");
        }
        keys.add("r/last");
        keys.add("s/other");
        for (String key : keys) {
            put(key.replace("&", "%26").replace("<", "%3C").replace(" ", "%20"), bytes(1));
        }
        assertThat(list("list-type=2&prefix=r/&max-keys=3", "Key"))
                .containsExactlyElementsOf(keys.subList(0, 26).stream().sorted().toList());
        assertThat(list("list-type=2&prefix=r/&delimiter=/&max-keys=2", "Prefix"))
                .containsExactly("r/a/", "r/b/", "r/c/", "r/d/", "r/e/");
        assertThat(list("list-type=2&prefix=r/&delimiter=/&max-keys=2", "Key")).containsExactly("r/last");
        assertThat(list("list-type=2&prefix=none/", "Key")).isEmpty();
        assertThat(list("list-type=2&start-after=r/last", "Key")).containsExactly("s/other");
        assertThat(text(send(request("/blobs?list-type=2&encoding-type=url&prefix=r/a/0"))
                        .body()))
                .contains("<Key>r/a/0%26%3Cx+y</Key>");
    }

    /** The texts of an element over all pages; the prefix that is asked for is left out. */
    private List<String> list(String query, String element) throws Exception {
        List<String> all = new ArrayList<>();
        Optional<String> token = Optional.of("");
        while (token.isPresent()) {
            String next = token.get().isEmpty()
                    ? ""
                    : "&continuation-token=" + token.get().replace("=", "%3D");
            String page = text(send(request("/blobs?" + query + next)).body());
            texts(page.substring(page.indexOf("<IsTruncated>")), element).forEach(all::add);
            token = texts(page, "NextContinuationToken").stream().findFirst();
        }
        return all;
    }

    private static List<String> texts(String xml, String element) {
        List<String> texts = new ArrayList<>();
        Matcher matcher =
                Pattern.compile("<" + element + ">([^<]*)</" + element + ">").matcher(xml);
        while (matcher.find()) {
            texts.add(matcher.group(1).replace("&lt;", "<").replace("&amp;", "&"));
        }
        return texts;
    }

    @Test
    void manyKeysAreDeletedAtOnce() throws Exception {
        for (String key : List.of("a", "b%26c", "d", "e")) {
            put(key, bytes(10));
        }
        String xml = "<Delete><Object><Key>a</Key></Object><Object><Key>b&amp;c</Key></Object>"
                + "<Object><Key>missing</Key></Object></Delete>";
        String answer = text(send(request("/blobs?delete").POST(BodyPublishers.ofString(xml)))
                .body());
        assertThat(texts(answer, "Key")).containsExactly("a", "b&c", "missing");
        assertThat(sim.keys("blobs")).containsExactly("d", "e");
        assertThat(sim.storedBytes()).isEqualTo(20);
        sim.follow(WireFaultPlan.always(WireFault.of(WireFault.Kind.SOME_KEYS_THROTTLED)));
        answer = text(send(request("/blobs?delete")
                        .POST(BodyPublishers.ofString(
                                "<Delete><Object><Key>d</Key></Object><Object><Key>e</Key></Object></Delete>")))
                .body());
        assertThat(answer).contains("<Error><Key>d</Key><Code>SlowDown</Code>").contains("<Deleted><Key>e</Key>");
        assertThat(sim.keys("blobs")).containsExactly("d");
        assertError(send(request("/blobs?delete").POST(BodyPublishers.ofString("<Delete/>"))), 400, "MalformedXML");
    }

    @Test
    void aConditionalPutSucceedsOnceHoweverManyTryAtOnce() throws Exception {
        List<CompletableFuture<HttpResponse<byte[]>>> puts = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            HttpRequest put = request("/blobs/marker")
                    .header("If-None-Match", "*")
                    .PUT(BodyPublishers.ofString("writer " + i))
                    .build();
            puts.add(client.sendAsync(put, BodyHandlers.ofByteArray()));
        }
        List<Integer> statuses =
                puts.stream().map(put -> put.join().statusCode()).sorted().toList();
        assertThat(statuses.get(0)).isEqualTo(200);
        assertThat(statuses.subList(1, 16)).containsOnly(412);
        assertThat(sim.storedBytes()).isEqualTo(get("marker").body().length);
    }

    @Test
    void checksumsThatAreSentAreChecked() throws Exception {
        byte[] bytes = bytes(10_000);
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        String right = Base64.getEncoder()
                .encodeToString(
                        ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
        String md5 = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("MD5").digest(bytes));
        HttpRequest.Builder put = request("/blobs/a").PUT(BodyPublishers.ofByteArray(bytes));
        assertThat(send(put.copy().header("x-amz-checksum-crc32c", right)).statusCode())
                .isEqualTo(200);
        assertThat(send(put.copy().header("Content-MD5", md5)).statusCode()).isEqualTo(200);
        assertError(send(put.copy().header("x-amz-checksum-crc32c", "AAAAAA==")), 400, "BadDigest");
        assertError(send(put.copy().header("Content-MD5", right)), 400, "BadDigest");
        assertThat(send(put.copy().header("x-amz-checksum-crc32c", right)).statusCode())
                .isEqualTo(200);
        assertThat(send(request("/blobs/a").header("x-amz-checksum-mode", "ENABLED"))
                        .headers()
                        .firstValue("x-amz-checksum-crc32c"))
                .contains(right);
        assertThat(sim.storedBytes()).isEqualTo(bytes.length);
    }

    @Test
    void bucketsAreMadeAndDescribed() throws Exception {
        sim.close();
        sim = S3Sim.builder().bucket("blobs").region("eu-central-1").start();
        assertThat(send(request("/new-bucket").PUT(BodyPublishers.noBody())).statusCode())
                .isEqualTo(200);
        assertError(send(request("/new-bucket").PUT(BodyPublishers.noBody())), 409, "BucketAlreadyOwnedByYou");
        assertError(send(request("/No").PUT(BodyPublishers.noBody())), 400, "InvalidBucketName");
        HttpResponse<byte[]> head = send(request("/new-bucket").method("HEAD", BodyPublishers.noBody()));
        assertThat(head.headers().firstValue("x-amz-bucket-region")).contains("eu-central-1");
        assertThat(text(send(request("/blobs?location")).body())).contains(">eu-central-1<");
        assertError(send(request("/blobs?lifecycle")), 404, "NoSuchLifecycleConfiguration");
        sim.lifecycle("blobs", List.of(new LifecycleRule("shuffle/", 2)));
        assertThat(text(send(request("/blobs?lifecycle")).body()))
                .contains("<Prefix>shuffle/</Prefix>", "<Days>2</Days>");
        assertThat(text(send(request("/blobs?versioning")).body())).doesNotContain("Enabled");
        sim.startVersioning("blobs");
        assertThat(text(send(request("/blobs?versioning")).body())).contains("<Status>Enabled</Status>");
    }

    @Test
    void keysRegionsAndClocksAreChecked() throws Exception {
        sim.close();
        sim = S3Sim.builder()
                .bucket("blobs")
                .region("eu-central-1")
                .accessKeyId("RIGHT")
                .start();
        String scope = "AWS4-HMAC-SHA256 Credential=%s/20260101/%s/s3/aws4_request, SignedHeaders=host, Signature=0";
        String right = String.format(scope, "RIGHT", "eu-central-1");
        assertError(get("a"), 403, "AccessDenied");
        assertError(
                send(request("/blobs/a").header("Authorization", String.format(scope, "WRONG", "eu-central-1"))),
                403,
                "InvalidAccessKeyId");
        HttpResponse<byte[]> elsewhere =
                send(request("/blobs/a").header("Authorization", String.format(scope, "RIGHT", "us-east-1")));
        assertError(elsewhere, 301, "PermanentRedirect");
        assertThat(elsewhere.headers().firstValue("x-amz-bucket-region")).contains("eu-central-1");
        String now = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                .format(ZonedDateTime.ofInstant(Instant.now(), java.time.ZoneOffset.UTC));
        HttpRequest.Builder dated =
                request("/blobs/a").header("Authorization", right).header("x-amz-date", now);
        assertError(send(dated), 404, "NoSuchKey");
        sim.skew(Duration.ofHours(1));
        HttpResponse<byte[]> late = send(dated);
        assertError(late, 403, "RequestTimeTooSkewed");
        Instant theirs = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(
                late.headers().firstValue("Date").orElseThrow()));
        assertThat(theirs).isAfter(Instant.now().plus(Duration.ofMinutes(55)));
    }

    @Test
    void theMemoryHasABound() throws Exception {
        sim.close();
        sim = S3Sim.builder().bucket("blobs").bytes(1000).start();
        put("a", bytes(600));
        assertError(put("b", bytes(500)), 507, "InsufficientStorage");
        put("a", bytes(300)); // Needs its bytes beside those that it replaces.
        assertThat(put("b", bytes(500)).statusCode()).isEqualTo(200);
        send(request("/blobs/b").DELETE());
        assertThat(sim.storedBytes()).isEqualTo(300);
        assertThat(sim.keys("blobs")).containsExactly("a");
    }

    @Test
    void aPrefixIsThrottledAndAnotherIsNot() throws Exception {
        sim.throttle(Optional.of(new ThrottleLimit(1, 2, 0.001)));
        assertThat(put("x/1", bytes(1)).statusCode()).isEqualTo(200);
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            statuses.add(get("x/1").statusCode());
        }
        assertThat(statuses).containsExactly(200, 503, 503);
        assertError(get("y/1"), 404, "NoSuchKey");
        sim.throttle(Optional.empty());
        assertThat(get("x/1").statusCode()).isEqualTo(200);
    }

    @Test
    void requestsTakeTheirLatency() throws Exception {
        sim.slow(LatencyProfile.constant(Duration.ofMillis(150), Duration.ZERO));
        long start = System.nanoTime();
        put("a", bytes(10));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
        sim.slow(LatencyProfile.constant(Duration.ofHours(1), Duration.ofHours(1)));
        CompletableFuture<HttpResponse<byte[]>> hanging =
                client.sendAsync(request("/blobs/a").build(), BodyHandlers.ofByteArray());
        awaitThat(() -> sim.counts().of(Operation.GET_OBJECT) == 1);
        sim.close();
        assertThatThrownBy(hanging::join).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void tlsServesWhoeverTrustsIt() throws Exception {
        sim.close();
        TlsIdentity identity = TlsIdentity.create();
        sim = S3Sim.builder().bucket("blobs").tls(identity).start();
        HttpClient trusting =
                HttpClient.newBuilder().sslContext(identity.clientContext()).build();
        byte[] bytes = bytes(1_000_000);
        HttpRequest put =
                request("/blobs/a").PUT(BodyPublishers.ofByteArray(bytes)).build();
        assertThat(trusting.send(put, BodyHandlers.ofByteArray()).statusCode()).isEqualTo(200);
        assertThat(trusting.send(request("/blobs/a").build(), BodyHandlers.ofByteArray())
                        .body())
                .isEqualTo(bytes);
        assertThat(identity.certificatePem()).startsWith("-----BEGIN CERTIFICATE-----\n");
        assertThatThrownBy(() -> get("a")).isInstanceOf(javax.net.ssl.SSLException.class);
    }

    @Test
    void faultsHappenAsPlanned() throws Exception {
        byte[] bytes = bytes(200_000);
        sim.follow(WireFaultPlan.scripted(
                Operation.PUT_OBJECT,
                WireFault.error(S3Error.SERVICE_UNAVAILABLE),
                WireFault.errorAfter(S3Error.INTERNAL_ERROR)));
        assertError(put("a", bytes), 503, "ServiceUnavailable");
        assertThat(sim.keys("blobs")).isEmpty();
        assertError(put("a", bytes), 500, "InternalError");
        assertThat(get("a").body()).isEqualTo(bytes);
        sim.follow(WireFaultPlan.on(Set.of(Operation.GET_OBJECT), WireFault.of(WireFault.Kind.FLIP)));
        byte[] wrong = get("a").body();
        assertThat(wrong).hasSameSizeAs(bytes).isNotEqualTo(bytes);
        for (WireFault.Kind kind : List.of(
                WireFault.Kind.TRUNCATE,
                WireFault.Kind.RESET,
                WireFault.Kind.RESET_AFTER,
                WireFault.Kind.RESET_MIDWAY)) {
            sim.follow(WireFaultPlan.always(WireFault.of(kind)));
            assertThatThrownBy(() -> get("a")).as(kind.name()).isInstanceOf(IOException.class);
        }
        sim.follow(WireFaultPlan.readOnly());
        assertError(put("a", bytes), 403, "AccessDenied");
        assertThat(get("a").body()).isEqualTo(bytes);
        sim.damage("blobs", "a");
        assertThat(get("a").body()).isNotEqualTo(bytes);
    }

    @Test
    void stallsLastUntilTheirEnd() {
        sim.follow(WireFaultPlan.always(WireFault.stall(WireFault.Kind.STALL, Duration.ofHours(1))));
        CompletableFuture<HttpResponse<byte[]>> put = client.sendAsync(
                request("/blobs/a").PUT(BodyPublishers.ofByteArray(bytes(10))).build(), BodyHandlers.ofByteArray());
        awaitThat(() -> sim.counts().of(Operation.PUT_OBJECT) == 1);
        assertThat(put).isNotDone();
        sim.resetConnections();
        assertThatThrownBy(put::join).hasCauseInstanceOf(IOException.class);
        assertThat(sim.keys("blobs")).isEmpty();
    }

    @Test
    void aServerGoesDownAndComesBackWithItsObjects() throws Exception {
        byte[] bytes = bytes(100);
        put("a", bytes);
        assertThat(sim.port()).as("outside the range of outgoing connections").isLessThan(32_768);
        sim.goDown();
        assertThatThrownBy(() -> get("a")).isInstanceOf(IOException.class);
        sim.comeBack();
        assertThat(get("a").body()).isEqualTo(bytes);
        sim.close();
        sim.close();
        awaitThat(() -> sim.openConnections() == 0);
    }

    @Test
    void faultsByChanceFollowFromTheSeed() {
        WireRequest request = new WireRequest(Operation.PUT_OBJECT, "b", "k", 1);
        List<WireFault> choice = List.of(WireFault.of(WireFault.Kind.RESET), WireFault.error(S3Error.SLOW_DOWN));
        WireFaultPlan first = WireFaultPlan.random(3, 250, choice);
        WireFaultPlan second = WireFaultPlan.random(3, 250, choice);
        int faults = 0;
        for (int i = 0; i < 2000; i++) {
            WireFault fault = first.next(request);
            assertThat(second.next(request)).isEqualTo(fault);
            faults += fault.equals(WireFault.NONE) ? 0 : 1;
        }
        assertThat(faults).isBetween(400, 600);
    }

    private HttpResponse<byte[]> put(String key, byte[] bytes) throws Exception {
        BodyPublisher body = BodyPublishers.ofByteArray(bytes);
        return send(request("/blobs/" + key).PUT(body));
    }

    private HttpResponse<byte[]> get(String key) throws Exception {
        return send(request("/blobs/" + key));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(sim.endpoint() + path))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(PATIENCE);
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    private static void assertError(HttpResponse<byte[]> response, int status, String code) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(text(response.body())).contains("<Code>" + code + "</Code>");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    static void awaitThat(Callable<Boolean> condition) {
        await("the server").atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }
}
