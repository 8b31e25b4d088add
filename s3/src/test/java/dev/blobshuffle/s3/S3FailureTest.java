package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3Error;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.s3sim.WireFault;
import dev.blobshuffle.s3sim.WireFault.Kind;
import dev.blobshuffle.s3sim.WireFaultPlan;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Checks that each fault of a store gives one clear error, or is tolerated, both at the start and
 * while blobs are on their way.
 */
class S3FailureTest {
    private static final BlobId ID = new BlobId(29_700_000, 1, 1);
    private static final Duration LONG = Duration.ofMinutes(2);
    /** So long that only the test ends a request. */
    private static final S3Timeouts PATIENT = new S3Timeouts(LONG, LONG, LONG);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();
    private final S3Sim sim = S3Sim.builder()
            .bucket("blobs")
            .accessKeyId(TestCredentials.ACCESS_KEY)
            .region("us-east-1")
            .start();

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
    void wrongCredentialsAreASettingAndAreNotShown() {
        TestCredentials.use("SOMEBODYELSE", "not-my-secret");
        assertThatThrownBy(this::openByUri)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("403 InvalidAccessKeyId")
                .hasMessageContaining("AWS_ACCESS_KEY_ID")
                .hasMessageNotContaining("not-my-secret");
    }

    @Test
    void noCredentialsAreASetting() {
        TestCredentials.useNone(directory);
        assertThatThrownBy(this::openByUri)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("there are no credentials")
                .hasMessageContaining("AWS_ACCESS_KEY_ID");
    }

    @Test
    void aMissingBucketIsASetting() {
        assertThatThrownBy(() -> BlobStores.open("s3://other-bucket?path-style=true&endpoint=" + sim.endpoint(), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("NoSuchBucket")
                .hasMessageContaining("Create the bucket");
    }

    @Test
    void anotherRegionIsASettingAndTheRightOneIsNamed() {
        assertThatThrownBy(() ->
                        BlobStores.open("s3://blobs?region=eu-west-3&path-style=true&endpoint=" + sim.endpoint(), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("set the parameter region=us-east-1");
    }

    @ParameterizedTest
    @EnumSource(names = {"PUT_OBJECT", "GET_OBJECT", "DELETE_OBJECTS"})
    void aMissingPermissionIsASetting(Operation denied) {
        sim.follow(WireFaultPlan.on(Set.of(denied), WireFault.error(S3Error.ACCESS_DENIED)));
        assertThatThrownBy(this::openByUri)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("AccessDenied")
                .hasMessageContaining("s3:DeleteObject")
                .hasMessageContaining("s3:ListBucket");
    }

    @Test
    void aClockThatIsAnHourOffIsAllowedFor() throws Exception {
        sim.skew(Duration.ofHours(1));
        try (BlobStore store = openByUri()) {
            put(store);
            sim.skew(Duration.ofHours(-1));
            assertThatThrownBy(() -> put(store))
                    .isExactlyInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("Set this machine's clock");
            put(store); // The client has measured the difference between the clocks.
        }
    }

    @Test
    void aServiceThatIsBusyAtTheStartIsAskedAgain() throws Exception {
        sim.follow(WireFaultPlan.scripted(
                Operation.GET_OBJECT,
                WireFault.error(S3Error.SLOW_DOWN),
                WireFault.of(Kind.RESET),
                WireFault.error(S3Error.INTERNAL_ERROR)));
        try (BlobStore store = open(PATIENT)) {
            put(store);
        }
    }

    @Test
    void aServiceThatStaysBusyAtTheStartIsUnavailable() {
        sim.follow(WireFaultPlan.always(WireFault.error(S3Error.SLOW_DOWN)));
        assertThatThrownBy(() -> open(PATIENT)).isInstanceOf(StoreThrottledException.class);
        assertThat(sim.counts().total()).isEqualTo(5);
    }

    @Test
    void aTokenThatExpiresMidwayIsRefusedUntilThereIsANewOne() throws Exception {
        expectFailure(
                WireFault.error(S3Error.EXPIRED_TOKEN),
                StoreRefusedException.class,
                "The provided token has expired",
                "Renew it");
    }

    @Test
    void aStoreThatBecomesReadOnlyIsRefused() throws Exception {
        try (BlobStore store = open(PATIENT)) {
            put(store);
            sim.follow(WireFaultPlan.readOnly());
            assertThatThrownBy(() -> put(store))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("s3:PutObject");
            read(store);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SLOW_DOWN", "SERVICE_UNAVAILABLE"})
    void tooManyRequestsAreToldFromOtherFailures(S3Error error) throws Exception {
        expectFailure(
                WireFault.error(error), StoreThrottledException.class, "too many requests", "503 " + error.code());
    }

    @Test
    void a503OfABalancerWithoutAStoreIsNoThrottling() {
        S3Failures failures = new S3Failures("s3://bucket/");
        AwsServiceException plain = S3Exception.builder().statusCode(503).build();
        assertThat(failures.of("store blob 1", plain)).isExactlyInstanceOf(StoreUnavailableException.class);
        AwsServiceException many = S3Exception.builder().statusCode(429).build();
        assertThat(failures.of("store blob 1", many)).isInstanceOf(StoreThrottledException.class);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"INTERNAL_ERROR", "BAD_DIGEST", "REQUEST_TIMEOUT", "CONDITIONAL_REQUEST_CONFLICT", "STORAGE_FULL"})
    void whatMayPassIsUnavailable(S3Error error) throws Exception {
        expectFailure(WireFault.error(error), StoreUnavailableException.class, error.code());
    }

    @ParameterizedTest
    @EnumSource(names = {"RESET", "RESET_AFTER"})
    void aConnectionThatBreaksIsUnavailable(Kind kind) throws Exception {
        expectFailure(WireFault.of(kind), StoreUnavailableException.class, "Check the network to the store");
    }

    @ParameterizedTest
    @EnumSource(names = {"STALL", "STALL_AFTER"})
    void aStoreThatFallsSilentDoesNotHoldARequestForEver(Kind kind) throws Exception {
        S3Timeouts hasty = new S3Timeouts(LONG, Duration.ofMillis(300), LONG);
        expectFailure(WireFault.stall(kind, LONG), StoreUnavailableException.class, hasty, "did not answer in time");
    }

    @ParameterizedTest
    @EnumSource(names = {"STALL", "STALL_AFTER"})
    void aCallHasAnEndWhateverTheConnectionDoes(Kind kind) throws Exception {
        S3Timeouts hasty = new S3Timeouts(LONG, LONG, Duration.ofMillis(500));
        expectFailure(WireFault.stall(kind, LONG), StoreUnavailableException.class, hasty, "did not answer in time");
    }

    @Test
    void aStoreThatIsGoneIsUnavailableAndWorksWhenItIsBack() throws Exception {
        try (BlobStore store = openByUri()) {
            put(store);
            sim.goDown();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> put(store))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("s3://blobs/");
                assertThatThrownBy(() -> read(store)).isInstanceOf(StoreUnavailableException.class);
            }
            sim.comeBack();
            put(store);
            read(store);
        }
    }

    @Test
    void aStoreThatIsNotThereAtTheStartIsUnavailable() {
        sim.goDown();
        assertThatThrownBy(this::openByUri)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("cannot be reached")
                .hasMessageContaining("Check that the store runs");
    }

    @Test
    void aNameWithoutAnAddressIsUnavailable() {
        assertThatThrownBy(() -> BlobStores.open("s3://blobs?endpoint=http://nobody.invalid:1", time))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("has no address")
                .hasMessageContaining("path-style=true");
    }

    @Test
    void aCloseEndsWhatIsUnderWay() throws Exception {
        BlobStore store = open(PATIENT);
        sim.follow(WireFaultPlan.always(WireFault.stall(Kind.STALL, LONG)));
        long before = sim.counts().total();
        CompletableFuture<Void> put = start(store).toCompletableFuture();
        CompletableFuture<BlobBytes> get = store.get(ID, BlobRange.of(0, 1)).toCompletableFuture();
        await("both requests")
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> sim.counts().total() >= before + 2);
        store.close();
        for (CompletableFuture<?> stage : List.of(put, get)) {
            assertThatThrownBy(() -> stage.get(1, TimeUnit.MINUTES)).hasCauseInstanceOf(ClosedException.class);
        }
    }

    private void expectFailure(WireFault fault, Class<? extends BlobShuffleException> failure, String... messages)
            throws Exception {
        expectFailure(fault, failure, PATIENT, messages);
    }

    /**
     * One put and one get meet the fault; later requests do not. A client with short limits would
     * also fail where the machine is slow, so it sends only the requests that must fail.
     */
    private void expectFailure(
            WireFault fault, Class<? extends BlobShuffleException> failure, S3Timeouts timeouts, String... messages)
            throws Exception {
        try (BlobStore patient = open(PATIENT);
                BlobStore store = timeouts.equals(PATIENT) ? patient : open(timeouts)) {
            put(patient);
            read(patient);
            sim.follow(WireFaultPlan.scripted(Operation.PUT_OBJECT, fault)
                    .or(WireFaultPlan.scripted(Operation.GET_OBJECT, fault)));
            assertThatThrownBy(() -> put(store)).isInstanceOf(failure).hasMessageContainingAll(messages);
            assertThatThrownBy(() -> read(store)).isInstanceOf(failure).hasMessageContainingAll(messages);
            put(patient);
            read(patient);
        }
    }

    private BlobStore openByUri() {
        return BlobStores.open("s3://blobs?path-style=true&endpoint=" + sim.endpoint(), time);
    }

    private BlobStore open(S3Timeouts timeouts) {
        return S3BlobStores.builder("blobs")
                .endpoint(sim.endpoint())
                .pathStyle()
                .timeouts(timeouts)
                .open(StoreContext.unmetered(time));
    }

    private CompletionStage<Void> start(BlobStore store) {
        TrackedContent content = loans.content(new byte[100_000], new byte[200_000]);
        CompletionStage<Void> put = store.put(ID, content);
        content.release();
        return put;
    }

    private void put(BlobStore store) {
        join(start(store));
    }

    private static void read(BlobStore store) {
        join(store.get(ID, BlobRange.of(100, 250_000))).close();
    }

    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }
}
