package dev.blobshuffle.cli;

import picocli.CommandLine.IVersionProvider;

/** What {@code blobshuffle --version} prints: the version of the build, of Kafka and of the JVM. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Main.class.getPackage().getImplementationVersion();
        return new String[] {
            "blobshuffle " + (version == null ? "(not packaged)" : version), "Java " + Runtime.version(),
        };
    }
}
