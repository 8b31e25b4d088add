package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Lists every method of Kafka's client interfaces with its treatment. If a newer Kafka adds a
 * method, these tests fail until a developer has decided whether it carries offsets.
 */
class MethodTableTest {
    /** Methods whose arguments, results or effects are translated. */
    private static final List<String> CONSUMER_TRANSLATED = List.of(
            "poll",
            "position",
            "committed",
            "beginningOffsets",
            "endOffsets",
            "offsetsForTimes",
            "commitSync",
            "commitAsync",
            "seek",
            "currentLag",
            "pause",
            "resume",
            "paused",
            "seekToBeginning",
            "seekToEnd",
            "assign",
            "unsubscribe",
            "subscribe",
            "close",
            "metrics");

    private static final List<String> CONSUMER_DELEGATED = List.of(
            "assignment",
            "subscription",
            "partitionsFor",
            "listTopics",
            "registerMetricForSubscription",
            "unregisterMetricFromSubscription",
            "clientInstanceId",
            "groupMetadata",
            "enforceRebalance",
            "wakeup");

    private static final List<String> PRODUCER_TRANSLATED = List.of(
            "send",
            "flush",
            "beginTransaction",
            "sendOffsetsToTransaction",
            "commitTransaction",
            "abortTransaction",
            "close",
            "metrics");

    private static final List<String> PRODUCER_DELEGATED = List.of(
            "initTransactions",
            "partitionsFor",
            "clientInstanceId",
            "registerMetricForSubscription",
            "unregisterMetricFromSubscription");

    private static final List<String> ADMIN_TRANSLATED = List.of("deleteRecords", "listOffsets");

    /** Offsets of groups stay real, as tools show them; the other methods carry no offsets. */
    private static final List<String> ADMIN_WITH_OFFSETS_LEFT_REAL = List.of(
            "listConsumerGroupOffsets",
            "alterConsumerGroupOffsets",
            "deleteConsumerGroupOffsets",
            "listStreamsGroupOffsets",
            "alterStreamsGroupOffsets",
            "deleteStreamsGroupOffsets",
            "listShareGroupOffsets",
            "alterShareGroupOffsets",
            "deleteShareGroupOffsets");

    /** Kafka before 4.1 has fewer methods, and lacks a class among their types. */
    @BeforeAll
    static void requireMethods() {
        assumeThat(MethodTableTest.class.getResource("/org/apache/kafka/clients/consumer/CloseOptions.class"))
                .as("Kafka before 4.1 lacks some of the methods")
                .isNotNull();
    }

    @Test
    void everyConsumerMethodIsDecidedAndOverridden() {
        assertThat(names(Consumer.class)).isEqualTo(union(CONSUMER_TRANSLATED, CONSUMER_DELEGATED));
        assertThat(notOverridden(Consumer.class, BlobConsumer.class)).isEmpty();
    }

    @Test
    void everyProducerMethodIsDecidedAndOverridden() {
        assertThat(names(Producer.class)).isEqualTo(union(PRODUCER_TRANSLATED, PRODUCER_DELEGATED));
        assertThat(notOverridden(Producer.class, BlobProducer.class)).isEmpty();
    }

    @Test
    void everyAdminMethodThatNamesOffsetsOrRecordsIsDecided() {
        TreeSet<String> withOffsets = names(Admin.class).stream()
                .filter(name -> name.contains("Offset") || name.contains("Records"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(withOffsets).isEqualTo(union(ADMIN_TRANSLATED, ADMIN_WITH_OFFSETS_LEFT_REAL));
    }

    /** A change of the constructor's name is enough, whatever an application passes to it. */
    @Test
    void clientsAreMadeFromWhatKafkasAreMadeFrom() {
        assertThat(constructors(BlobProducer.class)).isEqualTo(constructors(KafkaProducer.class));
        assertThat(constructors(BlobConsumer.class)).isEqualTo(constructors(KafkaConsumer.class));
        assertThat(creations(BlobAdmin.class)).isEqualTo(creations(Admin.class));
    }

    private static Set<List<Class<?>>> constructors(Class<?> type) {
        return Arrays.stream(type.getConstructors())
                .map(constructor -> List.of(constructor.getParameterTypes()))
                .collect(Collectors.toSet());
    }

    private static Set<List<Class<?>>> creations(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals("create"))
                .map(method -> List.of(method.getParameterTypes()))
                .collect(Collectors.toSet());
    }

    private static TreeSet<String> names(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static TreeSet<String> union(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Method> notOverridden(Class<?> type, Class<?> wrapper) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> Arrays.stream(wrapper.getMethods())
                        .filter(own -> own.getDeclaringClass().getName().startsWith("dev.blobshuffle."))
                        .noneMatch(own -> own.getName().equals(method.getName())
                                && Arrays.equals(own.getParameterTypes(), method.getParameterTypes())))
                .toList();
    }
}
