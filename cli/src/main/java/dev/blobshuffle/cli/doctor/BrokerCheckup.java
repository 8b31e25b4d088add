package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.brokers.ClientFailure;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;

/** Checks the broker settings that affect blobs. Owned by one thread. */
final class BrokerCheckup {
    private static final String MAX_TIMEOUT = "transaction.max.timeout.ms";

    private final Map<String, Object> client;
    private final Map<String, String> application;
    private final Duration limit;
    private final Time time;
    private final List<Finding> findings = new ArrayList<>();
    private Optional<Duration> mostTransactionTimeout = Optional.empty();

    /**
     * A check-up of one cluster.
     *
     * @param client settings of the client: {@code bootstrap.servers} and security
     * @param application the application's settings; empty if they are unknown
     * @param limit time limit of each answer
     */
    BrokerCheckup(Map<String, Object> client, Map<String, String> application, Duration limit, Time time) {
        this.client = Map.copyOf(client);
        this.application = Map.copyOf(application);
        this.limit = limit;
        this.time = time;
    }

    List<Finding> findings() {
        return findings;
    }

    /** The longest transaction timeout that the brokers permit; empty if they do not report it. */
    Optional<Duration> mostTransactionTimeout() {
        return mostTransactionTimeout;
    }

    void run() throws InterruptedException {
        try {
            BrokerOptions.checkReach(client);
        } catch (KafkaException e) {
            findings.add(Finding.failed(Finding.KAFKA, "brokers", e));
            return;
        }
        try (Admin admin = Admin.create(client)) {
            Collection<Node> nodes = await(admin.describeCluster().nodes());
            findings.add(
                    Finding.ok(Finding.KAFKA, "brokers", nodes.size() + (nodes.size() == 1 ? " answers" : " answer")));
            askTimeout(admin, nodes);
            askClock(admin);
            askReaders(admin);
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            findings.add(Finding.error(
                    Finding.KAFKA,
                    "brokers",
                    "cannot be asked: " + reason(e),
                    "Check --bootstrap, and security settings in --config."));
        }
    }

    private void askTimeout(Admin admin, Collection<Node> nodes) throws InterruptedException {
        if (nodes.isEmpty()) {
            return;
        }
        ConfigResource broker = new ConfigResource(
                ConfigResource.Type.BROKER, nodes.iterator().next().idString());
        try {
            Config config = await(admin.describeConfigs(List.of(broker)).all()).get(broker);
            ConfigEntry most = config == null ? null : config.get(MAX_TIMEOUT);
            if (most != null && most.value() != null) {
                mostTransactionTimeout = Optional.of(Duration.ofMillis(Long.parseLong(most.value())));
            }
        } catch (ExecutionException | TimeoutException e) {
            findings.add(Finding.of(Finding.KAFKA, StoreFinding.unknown(MAX_TIMEOUT, reason(e))));
        }
    }

    private void askReaders(Admin admin) throws InterruptedException {
        try {
            ForeignReaders.of(admin, application).ifPresent(findings::add);
        } catch (ExecutionException e) {
            findings.add(Finding.of(Finding.KAFKA, StoreFinding.unknown("readers", reason(e))));
        } catch (InvalidSettingsException e) {
            // The checks of the settings report it.
        }
    }

    /**
     * Reads the cluster's clock. When asked, the quorum's leader stamps its own entry with its
     * clock (KIP-836).
     */
    private void askClock(Admin admin) throws InterruptedException {
        try {
            long before = time.wallMillis();
            QuorumInfo quorum = await(admin.describeMetadataQuorum().quorumInfo());
            long middle = (before + time.wallMillis()) / 2;
            OptionalLong theirs = quorum.voters().stream()
                    .filter(voter -> voter.replicaId() == quorum.leaderId())
                    .map(QuorumInfo.ReplicaState::lastCaughtUpTimestamp)
                    .flatMapToLong(OptionalLong::stream)
                    .findFirst();
            if (theirs.isPresent()) {
                findings.add(ClockAdvice.of(
                        Finding.KAFKA, "brokers' leader", Duration.ofMillis(theirs.getAsLong() - middle)));
            }
        } catch (ExecutionException | TimeoutException e) {
            findings.add(Finding.of(Finding.KAFKA, StoreFinding.unknown("clock", reason(e))));
        }
    }

    private <T> T await(KafkaFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private String reason(Exception e) {
        if (e instanceof TimeoutException) {
            return "no answer for " + limit.toSeconds() + " s";
        }
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return ClientFailure.text(cause);
    }
}
