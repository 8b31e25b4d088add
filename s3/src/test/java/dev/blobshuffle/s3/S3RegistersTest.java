package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3Error;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.s3sim.WireFault;
import dev.blobshuffle.s3sim.WireFault.Kind;
import dev.blobshuffle.s3sim.WireFaultPlan;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Tests registers over real sockets. If an answer does not show whether the text was written, the
 * result is neither success nor conflict.
 */
class S3RegistersTest {
    private static final String NAME = "register";

    private final SystemTime time = new SystemTime();
    private final S3Sim sim = S3Sim.builder().bucket("blobs").start();
    private BlobStore store;
    private Registers registers;

    @BeforeEach
    void open() {
        TestCredentials.use();
        store = S3BlobStores.builder("blobs")
                .endpoint(sim.endpoint())
                .pathStyle()
                .open(StoreContext.unmetered(time));
        registers = store.registers().orElseThrow();
    }

    @AfterEach
    void end() {
        store.close();
        sim.close();
        time.close();
    }

    @Test
    void aRegisterThatAnotherWroteIsAConflict() {
        Optional<Register> first = written("first");
        assertThat(replace(first, "second")).isTrue();
        assertThat(replace(first, "third")).isFalse();
        assertThat(replace(Optional.empty(), "fourth")).isFalse();
        assertThat(text()).isEqualTo("second");
    }

    @Test
    void aRegisterThatIsGoneIsAConflict() {
        Optional<Register> first = written("first");
        delete(sim.keys("blobs").stream()
                .filter(key -> key.contains(NAME))
                .findFirst()
                .orElseThrow());
        assertThat(replace(first, "second")).isFalse();
        assertThat(read()).isEmpty();
    }

    /** With 409, S3 has not decided between two writers. Neither may assume that it has lost. */
    @ParameterizedTest
    @EnumSource(
            value = S3Error.class,
            names = {"CONDITIONAL_REQUEST_CONFLICT", "INTERNAL_ERROR"})
    void anAnswerThatDecidesNothingIsAFailure(S3Error error) {
        Optional<Register> first = written("first");
        meet(WireFault.error(error));
        long before = sim.counts().of(Operation.PUT_OBJECT);
        assertThatThrownBy(() -> replace(first, "second"))
                .isExactlyInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(error.code())
                .hasCauseInstanceOf(Exception.class);
        assertThat(sim.counts().of(Operation.PUT_OBJECT) - before).isEqualTo(1);
        assertThat(text()).isEqualTo("first");
        assertThat(replace(first, "second")).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = S3Error.class,
            names = {"SLOW_DOWN", "TOO_MANY_REQUESTS"})
    void throttlingIsNoConflict(S3Error error) {
        Optional<Register> first = written("first");
        meet(WireFault.error(error));
        assertThatThrownBy(() -> replace(first, "second"))
                .isInstanceOf(StoreThrottledException.class)
                .hasMessageContaining(error.code());
        assertThat(text()).isEqualTo("first");
        assertThat(replace(first, "second")).isTrue();
    }

    /**
     * If the client repeated the request by itself, it would meet its own text and report a
     * conflict.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLostAnswerIsUnknownAndTheNextReadShowsTheText(boolean isFirst) {
        Optional<Register> held = isFirst ? Optional.empty() : written("first");
        long before = sim.counts().of(Operation.PUT_OBJECT);
        meet(WireFault.of(Kind.RESET_AFTER));
        assertThatThrownBy(() -> replace(held, "second")).isExactlyInstanceOf(StoreUnavailableException.class);
        assertThat(sim.counts().of(Operation.PUT_OBJECT) - before).isEqualTo(1);
        assertThat(text()).isEqualTo("second");
        assertThat(replace(held, "third")).isFalse();
    }

    @Test
    void aFailureAfterTheEffectIsUnknownToo() {
        Optional<Register> first = written("first");
        meet(WireFault.errorAfter(S3Error.INTERNAL_ERROR));
        assertThatThrownBy(() -> replace(first, "second")).isExactlyInstanceOf(StoreUnavailableException.class);
        assertThat(text()).isEqualTo("second");
    }

    @Test
    void aRequestThatIsLostChangesNothing() {
        Optional<Register> first = written("first");
        meet(WireFault.of(Kind.RESET));
        assertThatThrownBy(() -> replace(first, "second")).isExactlyInstanceOf(StoreUnavailableException.class);
        assertThat(text()).isEqualTo("first");
    }

    /**
     * Other content has the register's name. The client must not return its beginning as the text.
     */
    @Test
    void aTextThatIsTooLongIsRefused() {
        Optional<Register> longest = written("x".repeat(Registers.MOST_BYTES));
        assertThat(longest.orElseThrow().text()).hasSize(Registers.MOST_BYTES);
        String tooLong = "y".repeat(Registers.MOST_BYTES + 1);
        assertThatThrownBy(() -> replace(longest, tooLong)).isInstanceOf(StoreRefusedException.class);
        overwrite(tooLong);
        assertThatThrownBy(this::read)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("Cannot use register " + NAME + ": its text has more than 65536 bytes");
    }

    private void meet(WireFault fault) {
        sim.follow(WireFaultPlan.scripted(Operation.PUT_OBJECT, fault));
    }

    private Optional<Register> written(String text) {
        assertThat(replace(Optional.empty(), text)).isTrue();
        return read();
    }

    private Optional<Register> read() {
        return join(registers.read(NAME));
    }

    private String text() {
        return read().orElseThrow().text();
    }

    private boolean replace(Optional<Register> held, String text) {
        return join(registers.replace(NAME, held, text));
    }

    private void overwrite(String text) {
        try (S3Client client = client()) {
            client.putObject(
                    request -> request.bucket("blobs")
                            .key(sim.keys("blobs").stream()
                                    .filter(key -> key.contains(NAME))
                                    .findFirst()
                                    .orElseThrow()),
                    RequestBody.fromString(text));
        }
    }

    private void delete(String key) {
        try (S3Client client = client()) {
            client.deleteObject(request -> request.bucket("blobs").key(key));
        }
    }

    private S3Client client() {
        return S3Client.builder()
                .endpointOverride(sim.endpoint())
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .build();
    }

    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }
}
