package dev.blobshuffle.kafkaembedded;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a node's process: this JVM's {@code java} and class path.
 *
 * @param heapMebibytes the largest heap, in MiB
 */
record BrokerCommand(int heapMebibytes, List<String> jvmFlags) {
    BrokerCommand {
        jvmFlags = List.copyOf(jvmFlags);
    }

    List<String> line(Path propertiesFile) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-Xmx" + heapMebibytes + "m");
        line.add("-XX:+ExitOnOutOfMemoryError");
        // Only slf4j-simple reads this; other back ends have their own configuration.
        line.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        line.addAll(jvmFlags);
        line.add("-cp");
        line.add(System.getProperty("java.class.path"));
        line.add(BrokerMain.class.getName());
        line.add(propertiesFile.toString());
        return line;
    }
}
