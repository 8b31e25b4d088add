package dev.blobshuffle.cli;

import dev.blobshuffle.core.internal.version.OwnVersion;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import picocli.CommandLine.IVersionProvider;

/**
 * Prints {@code blobshuffle --version}: the versions of the build, of Kafka's clients and of the
 * JVM.
 */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "blobshuffle " + OwnVersion.text(), "kafka-clients " + KafkaVersion.present(), "Java " + Runtime.version(),
        };
    }
}
