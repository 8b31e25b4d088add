package dev.blobshuffle.kstreams.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;

/**
 * Checks by name the internal classes of Kafka Streams that the operators need, so a failure names
 * the class that a new version has changed. {@code make kafka-version} runs it on other versions.
 */
class InternalsCanaryTest {
    private static final String STREAMS = "org.apache.kafka.streams.";

    @Test
    void membersThatWeCallAreThere() throws Exception {
        Class<?> context = type("processor.internals.InternalProcessorContext");
        Class<?> node = type("processor.internals.ProcessorNode");
        Class<?> recordContext = type("processor.internals.ProcessorRecordContext");
        assertThat(context.getMethod("currentNode").getReturnType()).isEqualTo(node);
        assertThat(context.getMethod("setCurrentNode", node)).isNotNull();
        assertThat(context.getMethod("recordContext").getReturnType()).isEqualTo(recordContext);
        assertThat(context.getMethod("setRecordContext", recordContext)).isNotNull();
        assertThat(context.getMethod("forward", Record.class)).isNotNull();
        assertThat(recordContext.getConstructor(long.class, long.class, int.class, String.class, Headers.class))
                .isNotNull();

        assertThat(node.getMethod("process", Record.class)).isNotNull();
        boolean keepsRawRecords = Arrays.stream(recordContext.getConstructors())
                .anyMatch(constructor -> constructor.getParameterCount() == 7);
        assertThat(Arrays.stream(recordContext.getMethods())
                        .map(method -> method.getName())
                        .filter(name -> name.startsWith("sourceRaw"))
                        .toList())
                .as("raw records from Kafka 4.1: the constructor of seven comes with them")
                .containsExactlyInAnyOrderElementsOf(
                        keepsRawRecords ? List.of("sourceRawKey", "sourceRawValue") : List.of());

        Class<?> cached = type("state.internals.CachedStateStore");
        assertThat(cached.getMethods())
                .extracting("name")
                .containsExactlyInAnyOrder("setFlushListener", "flushCache", "clearCache");
        Class<?> stateManager = type("processor.internals.ProcessorStateManager");
        assertThat(stateManager.getMethod("flushCache")).isNotNull();
        Class<?> contextOfTasks = type("processor.internals.ProcessorContextImpl");
        assertThat(contextOfTasks.getMethod("stateManager").getReturnType()).isEqualTo(stateManager);
        assertThat(type("processor.internals.RecordCollector$Supplier").isAssignableFrom(contextOfTasks))
                .isTrue();
        assertThat(contextOfTasks.getMethod("recordCollector").getReturnType().getMethod("flush"))
                .isNotNull();
    }

    @Test
    void membersThatWeReadAreThere() throws Exception {
        Class<?> topology = type("processor.internals.ProcessorTopology");
        Class<?> node = type("processor.internals.ProcessorNode");
        assertThat(type("processor.internals.ProcessorContextImpl")
                        .getDeclaredField("streamTask")
                        .getType())
                .isEqualTo(type("processor.internals.StreamTask"));
        assertThat(type("processor.internals.AbstractTask")
                        .getDeclaredField("topology")
                        .getType())
                .isEqualTo(topology);
        assertThat(topology.getMethod("sourceTopics")).isNotNull();
        assertThat(topology.getMethod("source", String.class)).isNotNull();
        assertThat(topology.getMethod("processors")).isNotNull();
        assertThat(node.getMethod("children")).isNotNull();
        assertThat(Modifier.isPublic(node.getField("stateStores").getModifiers()))
                .isTrue();
        assertThat(type("processor.internals.StreamThread").getMethod("isRunning"))
                .isNotNull();

        Class<?> parent = type("kstream.internals.AbstractStream");
        for (String field : List.of("name", "subTopologySourceNodes", "graphNode", "builder")) {
            assertThat(parent.getDeclaredField(field)).isNotNull();
        }
        assertThat(type("kstream.internals.KStreamImpl")
                        .getDeclaredConstructor(
                                String.class,
                                Serde.class,
                                Serde.class,
                                Set.class,
                                boolean.class,
                                type("kstream.internals.graph.GraphNode"),
                                type("kstream.internals.InternalStreamsBuilder")))
                .isNotNull();
    }

    /**
     * The internals are used in one package only, apart from the client supplier's consumer
     * wrapper.
     */
    @Test
    void noOtherPackageKnowsThem() {
        Pattern internal = Pattern.compile("org\\.apache\\.kafka\\.streams\\.[a-z.]*internals\\.");
        Set<String> users = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            sources.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> internal.matcher(text(path)).find())
                    .forEach(path -> users.add(path.getParent().getFileName() + "/" + path.getFileName()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }

        assertThat(users)
                .containsExactly(
                        "commit/CommitGate.java",
                        "commit/NodeScope.java",
                        "commit/StreamsInternals.java",
                        "kstreams/BlobConsumerWrapper.java");
    }

    private static String text(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(STREAMS + name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError("Kafka Streams " + KafkaVersion.present() + " has no " + name, e);
        }
    }
}
