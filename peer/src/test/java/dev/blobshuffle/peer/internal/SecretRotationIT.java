package dev.blobshuffle.peer.internal;

import static dev.blobshuffle.peer.internal.ZoneFixture.expected;
import static dev.blobshuffle.peer.internal.ZoneFixture.range;
import static dev.blobshuffle.peer.internal.ZoneFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.time.ForwardingTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.peer.internal.ZoneFixture.Instance;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import dev.blobshuffle.testkit.LoanCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A secret is replaced while its members read from each other. */
class SecretRotationIT {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path directory;

    private final ZoneFixture zone = new ZoneFixture(loans);
    private int blobs;

    @AfterEach
    void end() {
        zone.close();
    }

    private static String secret(int number) {
        return "secret number " + number + " of all members";
    }

    /** A member whose secrets are in a file of its own. */
    private final class Rotating {
        final Path file;
        final PeerTrust trust;
        final Instance instance;

        Rotating(String name, PeerTransport transport, int... secrets) throws Exception {
            file = directory.resolve(name);
            write(file, secrets);
            trust = new PeerTrust(
                    Optional.of(PeerSecrets.read(file, new HastyTime(zone.time()))), Optional.empty(), transport);
            PeerOptions usual = ZoneFixture.options(ZoneFixture.SECRET);
            instance = zone.start(new PeerOptions(
                    usual.zone(), usual.listen(), usual.advertised(), trust, usual.silence(), usual.limits()));
        }

        /** Replaces the file, and waits until the member uses its secrets. */
        void rotate(int... secrets) throws Exception {
            Object before = trust.generation();
            write(file, secrets);
            await("changed secrets").atMost(Duration.ofMinutes(2)).until(() -> trust.generation() != before);
        }
    }

    private void write(Path file, int... secrets) throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int number : secrets) {
            lines.append(secret(number)).append('\n');
        }
        Path next = directory.resolve("next");
        PrivateFiles.write(next, lines.toString());
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Reads a section that nobody has read before. */
    private void readNew(ZoneCachedBlobStore store) throws Exception {
        zone.put(++blobs);
        assertThat(read(store, blobs, range(1000, 200_000))).isEqualTo(expected(blobs, range(1000, 200_000)));
    }

    @ParameterizedTest
    @EnumSource(PeerTransport.class)
    void noReadFailsInTwoRotationsInARow(PeerTransport transport) throws Exception {
        Rotating server = new Rotating("server", transport, 1);
        Rotating reader = new Rotating("reader", transport, 1);
        zone.members().remove(1);
        ZoneCachedBlobStore store = reader.instance.zoned();
        readNew(store);
        for (int old = 1; old <= 2; old++) {
            for (int[] step : new int[][] {{old, old + 1}, {old + 1, old}, {old + 1}}) {
                server.rotate(step);
                readNew(store);
                reader.rotate(step);
                readNew(store);
            }
        }
        assertThat(reader.instance.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(blobs);
        assertThat(reader.instance.metrics.value(Counter.CACHE_ZONE_FAILURES)).isZero();
        assertThat(server.instance.metrics.value(Counter.PEER_REFUSALS)).isZero();
    }

    @ParameterizedTest
    @EnumSource(PeerTransport.class)
    void whoOnlyKnowsARemovedSecretReadsTheStore(PeerTransport transport) throws Exception {
        Rotating server = new Rotating("server", transport, 1);
        Rotating reader = new Rotating("reader", transport, 1);
        zone.members().remove(1);
        ZoneCachedBlobStore store = reader.instance.zoned();
        readNew(store);
        server.rotate(2);
        readNew(store);
        assertThat(reader.instance.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(1);
        assertThat(server.instance.metrics.value(Counter.PEER_REQUESTS)).isEqualTo(1);
    }

    /** The certificate of the open connection proves a secret that the reader no longer accepts. */
    @Test
    void aConnectionThatARemovedSecretProvedIsNotUsed() throws Exception {
        Rotating server = new Rotating("server", PeerTransport.TLS, 1, 2);
        Rotating reader = new Rotating("reader", PeerTransport.TLS, 1, 2);
        zone.members().remove(1);
        ZoneCachedBlobStore store = reader.instance.zoned();
        readNew(store);
        reader.rotate(2);
        readNew(store);
        assertThat(reader.instance.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(1);
        assertThat(reader.instance.metrics.value(Counter.CACHE_ZONE_FAILURES)).isEqualTo(1);
        server.rotate(2, 1);
        await("the member is asked again").atMost(Duration.ofMinutes(2)).until(() -> {
            readNew(store);
            return reader.instance.metrics.value(Counter.CACHE_ZONE_HITS) == 2;
        });
    }

    /** An instance that nobody asks, and that asks nobody. */
    @Test
    void anIdleInstanceNoticesAndCountsWhatHappensToItsFile() throws Exception {
        Path file = directory.resolve("secret");
        write(file, 1);
        Map<String, String> settings = Map.of(
                ZoneSettings.ZONE.name(), "a",
                PeerSettings.LISTEN.name(), new Endpoint("127.0.0.1", 0).toString(),
                PeerSettings.SECRET_FILE.name(), file.toString());
        ShuffleMetrics metrics = new ShuffleMetrics();
        try (var network = new HttpPeerNetworkProvider().open(EngineSettings.parse(settings), metrics, zone.time())) {
            write(file, 2, 1);
            awaitCount(metrics, Counter.PEER_SECRET_CHANGES, 1);
            assertThat(metrics.value(Counter.PEER_SECRET_FAILURES)).isZero();
            Files.delete(file);
            awaitCount(metrics, Counter.PEER_SECRET_FAILURES, 2);
            assertThat(metrics.value(Counter.PEER_SECRET_CHANGES)).isEqualTo(1);
            write(file, 2);
            awaitCount(metrics, Counter.PEER_SECRET_CHANGES, 2);
        }
    }

    private static void awaitCount(ShuffleMetrics metrics, Counter counter, long least) {
        await(counter.toString()).atMost(Duration.ofMinutes(2)).until(() -> metrics.value(counter) >= least);
    }

    /** A second takes 20 ms, so that changed files are in use soon. */
    private static final class HastyTime extends ForwardingTime {
        HastyTime(Time time) {
            super(time);
        }

        @Override
        public long nanos() {
            return super.nanos() * 50;
        }
    }
}
