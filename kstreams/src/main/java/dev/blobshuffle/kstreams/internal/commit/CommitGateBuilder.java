package dev.blobshuffle.kstreams.internal.commit;

import java.util.Map;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * Builds the gate of a processor, a new one for each task. Never logged, so it has no changelog.
 * Immutable.
 */
record CommitGateBuilder(String name) implements StoreBuilder<CommitGate> {
    @Override
    public CommitGate build() {
        return new CommitGate(name);
    }

    @Override
    public StoreBuilder<CommitGate> withCachingEnabled() {
        return this;
    }

    @Override
    public StoreBuilder<CommitGate> withCachingDisabled() {
        return this;
    }

    @Override
    public StoreBuilder<CommitGate> withLoggingEnabled(Map<String, String> config) {
        return this;
    }

    @Override
    public StoreBuilder<CommitGate> withLoggingDisabled() {
        return this;
    }

    @Override
    public Map<String, String> logConfig() {
        return Map.of();
    }

    @Override
    public boolean loggingEnabled() {
        return false;
    }
}
