package dev.blobshuffle.cli;

import org.apache.kafka.common.utils.AppInfoParser;
import picocli.CommandLine.IVersionProvider;

/**
 * What {@code blobshuffle --version} prints: the versions of the build, of Kafka's clients and of
 * the JVM.
 */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Main.class.getPackage().getImplementationVersion();
        return new String[] {
            "blobshuffle " + (version == null ? "(not packaged)" : version),
            "kafka-clients " + AppInfoParser.getVersion(),
            "Java " + Runtime.version(),
        };
    }
}
