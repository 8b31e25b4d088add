package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3Error;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.s3sim.TlsIdentity;
import dev.blobshuffle.s3sim.WireFault;
import dev.blobshuffle.s3sim.WireFaultPlan;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;

/**
 * Checks the requests that the store sends and how it interprets answers. {@link S3FailureTest}
 * covers failures.
 */
class S3BlobStoreTest {
    private static final long GENERATION = 29_700_000;
    private static final BlobId ID = new BlobId(GENERATION, 1, 1);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SystemTime time = new SystemTime();
    private final List<Request> reported = Collections.synchronizedList(new ArrayList<>());
    private final StoreContext context = new StoreContext(time, reported::add);
    private final S3Sim sim = S3Sim.builder().bucket("blobs").start();

    @BeforeEach
    void useCredentials() {
        TestCredentials.use();
    }

    @AfterEach
    void end() {
        sim.close();
        time.close();
    }

    @Test
    void aBlobIsOneRequestHoweverLargeItIs() throws Exception {
        try (BlobStore store = open()) {
            long before = sim.counts().total();
            put(store, ID, 20 << 20);
            assertThat(sim.counts().total() - before).isEqualTo(1);
            assertThat(sim.keys("blobs")).contains(BlobKey.of(ID));
        }
    }

    @Test
    void requestsThatNobodyAboveSeesAreReported() throws Exception {
        try (BlobStore store = open()) {
            assertThat(reported(Request.GET))
                    .as("the marker is looked for, and read")
                    .isEqualTo(2);
            assertThat(reported(Request.PUT)).isEqualTo(1);
            join(store.delete(LongStream.range(0, 2001)
                    .mapToObj(sequence -> new BlobId(GENERATION, 1, sequence))
                    .toList()));
            assertThat(reported(Request.DELETE)).isEqualTo(3);
            assertThat(sim.counts().of(Operation.DELETE_OBJECTS)).isEqualTo(3);
            join(store.list(0, GENERATION));
            assertThat(reported(Request.LIST))
                    .as("a new store looks for another one below its keys")
                    .isEqualTo(1 + 64);
            assertThat(sim.counts().of(Operation.LIST_OBJECTS)).isEqualTo(1 + 64);
        }
    }

    @Test
    void aListingOfSeveralPagesIsWhole() throws Exception {
        List<BlobId> ids = LongStream.range(0, 10_000)
                .mapToObj(sequence -> new BlobId(GENERATION + sequence % 2, 1, sequence))
                .filter(id -> BlobKey.shard(id) == 5)
                .limit(11)
                .toList();
        List<BlobId> some =
                ids.stream().filter(id -> id.generation() == GENERATION).toList();
        ExecutionInterceptor smallPages = new ExecutionInterceptor() {
            @Override
            public SdkRequest modifyRequest(Context.ModifyRequest request, ExecutionAttributes attributes) {
                return request.request() instanceof ListObjectsV2Request list
                        ? list.toBuilder().maxKeys(1).build()
                        : request.request();
            }
        };
        try (S3Client client = S3Client.builder()
                        .endpointOverride(sim.endpoint())
                        .forcePathStyle(true)
                        .overrideConfiguration(override -> override.addExecutionInterceptor(smallPages))
                        .build();
                BlobStore store = S3BlobStores.builder("blobs").client(client).open(context)) {
            for (BlobId id : ids) {
                put(store, id, 1);
            }
            assertThat(join(store.list(0, GENERATION)))
                    .extracting(StoredBlob::id)
                    .containsExactlyInAnyOrderElementsOf(some);
            assertThat(reported(Request.LIST)).isEqualTo(1 + 63 + some.size());
            assertThat(join(store.generations(0))).containsExactlyInAnyOrder(GENERATION, GENERATION + 1);
            assertThat(reported(Request.LIST)).isEqualTo(1 + 63 + some.size() + 63 + 2);
        }
    }

    @Test
    void storesBelowDifferentPrefixesAreDifferentStores() throws Exception {
        try (BlobStore one = builder().prefix("one/").open(context);
                BlobStore again = builder().prefix("one/").open(context);
                BlobStore other = builder().prefix("other").open(context)) {
            assertThat(one.fingerprint()).isEqualTo(again.fingerprint()).isNotEqualTo(other.fingerprint());
            put(one, ID, 10);
            assertThat(join(again.list(0, GENERATION)))
                    .extracting(StoredBlob::id)
                    .containsExactly(ID);
            assertThat(join(other.list(0, GENERATION))).isEmpty();
            assertThatThrownBy(() -> read(other, 0, 1)).isInstanceOf(BlobMissingException.class);
        }
    }

    /**
     * Two instances that start together must agree on the store. Otherwise each refuses the other's
     * blobs.
     */
    @Test
    void whoeverWritesTheMarkerFirstNamesTheStore() {
        sim.follow(WireFaultPlan.scripted(
                Operation.PUT_OBJECT,
                WireFault.error(S3Error.CONDITIONAL_REQUEST_CONFLICT),
                WireFault.errorAfter(S3Error.PRECONDITION_FAILED)));
        try (BlobStore one = open();
                BlobStore other = open()) {
            assertThat(one.fingerprint()).isEqualTo(other.fingerprint());
        }
    }

    @Test
    void anObjectInThePlaceOfTheMarkerIsNotTakenForOne() throws Exception {
        try (S3Client client = S3Client.builder()
                .endpointOverride(sim.endpoint())
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .build()) {
            client.putObject(
                    request -> request.bucket("blobs").key("blobshuffle-store"),
                    RequestBody.fromString("something else"));
        }
        assertThatThrownBy(this::open)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("s3://blobs/blobshuffle-store is not a marker");
    }

    @Test
    void aStoreAmongTheBlobsOfAnotherIsRefused() {
        builder().prefix("shop").open(context).close();
        assertThatThrownBy(() -> builder().prefix("shop/blobs/x").open(context))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("s3://blobs/shop/blobshuffle-store")
                .hasMessageContaining("Choose a prefix outside it");
        // No store encloses this prefix yet.
        builder().prefix("other/blobs/x").open(context).close();
        assertThatThrownBy(() -> builder().prefix("other").open(context))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("s3://blobs/other/blobs/x/ exists");
        assertThat(sim.keys("blobs"))
                .containsExactlyInAnyOrder("shop/blobshuffle-store", "other/blobs/x/blobshuffle-store");
    }

    @Test
    void aRoleThatIsLimitedToItsPrefixOpensAStoreBelowAPartBlobs() {
        sim.follow(WireFaultPlan.scripted(Operation.HEAD_OBJECT, WireFault.error(S3Error.ACCESS_DENIED)));
        builder().prefix("shop/blobs/x").open(context).close();
        assertThat(sim.keys("blobs")).containsExactly("shop/blobs/x/blobshuffle-store");
    }

    @ParameterizedTest
    @EnumSource(RequestChecksum.class)
    void eachChecksumIsAccepted(RequestChecksum checksum) throws Exception {
        try (BlobStore store = builder().checksum(checksum).open(context)) {
            put(store, ID, 100_000);
            assertThat(read(store, 50_000, 10)).hasSize(10);
            join(store.delete(List.of(ID)));
            assertThat(join(store.list(0, GENERATION))).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RequestChecksum.class,
            names = {"MD5", "NONE"})
    void aStoreThatRefusesOtherChecksumsGetsNone(RequestChecksum checksum) throws Exception {
        try (S3Sim older = S3Sim.builder().bucket("blobs").refuseChecksums().start();
                BlobStore store = S3BlobStores.builder("blobs")
                        .endpoint(older.endpoint())
                        .pathStyle()
                        .checksum(checksum)
                        .open(context)) {
            BlobId second = new BlobId(GENERATION, 1, 2);
            put(store, ID, 1000);
            put(store, second, 1000);
            Registers registers = store.registers().orElseThrow();
            assertThat(join(registers.replace("owners", Optional.empty(), "text")))
                    .isTrue();
            join(store.delete(List.of(ID, second)));
            assertThat(join(store.list(0, GENERATION))).isEmpty();
        }
    }

    @Test
    void encryptionIsAskedFor() throws Exception {
        try (BlobStore store = builder()
                .encryption(new ServerSideEncryption("aws:kms", Optional.of("alias/blobs")))
                .open(context)) {
            put(store, ID, 1000);
            assertThat(read(store, 0, 1000)).hasSize(1000);
        }
    }

    /**
     * If a proxy ends an answer early, the store must not report damage, because damage stops the
     * application.
     */
    @Test
    void anAnswerThatEndsEarlyIsUnavailableAndNotCorrupt() throws Exception {
        try (BlobStore store = open()) {
            byte[] blob = put(store, ID, 10_000);
            for (WireFault.Kind kind : List.of(WireFault.Kind.TRUNCATE, WireFault.Kind.RESET_MIDWAY)) {
                sim.follow(WireFaultPlan.scripted(Operation.GET_OBJECT, WireFault.of(kind)));
                assertThatThrownBy(() -> read(store, 0, 10_000)).isInstanceOf(StoreUnavailableException.class);
                assertThat(read(store, 0, 10_000)).isEqualTo(blob);
            }
            sim.follow(WireFaultPlan.scripted(Operation.GET_OBJECT, WireFault.error(S3Error.INVALID_RANGE)));
            assertThatThrownBy(() -> read(store, 0, 10_000))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("0 of 10000 bytes arrived");
        }
    }

    @Test
    void aRangeBeyondTheEndIsCorruptOnceTheLengthIsKnown() throws Exception {
        try (BlobStore store = open()) {
            put(store, ID, 1000);
            assertThatThrownBy(() -> read(store, 990, 20))
                    .isInstanceOf(BlobCorruptException.class)
                    .hasMessageContaining("outside its 1000 bytes");
            assertThat(reported(Request.HEAD)).isEqualTo(1);
        }
    }

    @Test
    void aKeyThatIsThrottledFailsTheDelete() throws Exception {
        try (BlobStore store = open()) {
            sim.follow(WireFaultPlan.on(
                    Set.of(Operation.DELETE_OBJECTS), WireFault.of(WireFault.Kind.SOME_KEYS_THROTTLED)));
            List<BlobId> ids = List.of(new BlobId(GENERATION, 1, 1), new BlobId(GENERATION, 1, 2));
            for (BlobId id : ids) {
                put(store, id, 10);
            }
            assertThatThrownBy(() -> join(store.delete(ids))).isInstanceOf(StoreThrottledException.class);
        }
    }

    @Test
    void aClientOfTheUsersWorksOverTlsAndStaysOpen() throws Exception {
        TlsIdentity identity = TlsIdentity.create();
        try (S3Sim secure = S3Sim.builder().bucket("blobs").tls(identity).start();
                S3Client client = S3Client.builder()
                        .endpointOverride(secure.endpoint())
                        .forcePathStyle(true)
                        .region(Region.US_EAST_1)
                        .httpClientBuilder(
                                Apache5HttpClient.builder().tlsTrustManagersProvider(identity::trustManagers))
                        .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
                        .build()) {
            try (BlobStore store = S3BlobStores.builder("blobs").client(client).open(context)) {
                byte[] blob = put(store, ID, 300_000);
                assertThat(read(store, 0, 300_000)).isEqualTo(blob);
            }
            assertThat(client.listObjectsV2(request -> request.bucket("blobs")).keyCount())
                    .isEqualTo(2);
            assertThatThrownBy(() -> BlobStores.open("s3://blobs?path-style=true&endpoint=" + secure.endpoint(), time))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("TLS")
                    .hasMessageContaining("javax.net.ssl.trustStore");
        }
    }

    private int reported(Request request) {
        return Collections.frequency(reported, request);
    }

    private S3BlobStoreBuilder builder() {
        return S3BlobStores.builder("blobs").endpoint(sim.endpoint()).pathStyle();
    }

    private BlobStore open() {
        return builder().open(context);
    }

    private byte[] put(BlobStore store, BlobId id, int length) throws Exception {
        byte[] blob = new byte[length];
        new Random(length).nextBytes(blob);
        TrackedContent content = loans.content(blob.clone());
        CompletionStage<Void> put = store.put(id, content);
        content.release();
        join(put);
        return blob;
    }

    private static byte[] read(BlobStore store, long offset, int length) throws Exception {
        try (BlobBytes bytes = join(store.get(ID, BlobRange.of(offset, length)))) {
            byte[] copy = new byte[bytes.buffer().remaining()];
            bytes.buffer().get(copy);
            return copy;
        }
    }

    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }
}
