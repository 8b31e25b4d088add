package dev.blobshuffle.kafka.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.retention.NotificationLogs.Term;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsResult;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** The surveyor on a client with answers of the test. */
class LogSurveyorTest {
    private static final TopicPartition FIRST = new TopicPartition("first", 0);
    private static final TopicPartition SECOND = new TopicPartition("second", 0);
    private static final Uuid ID = new Uuid(1, 2);

    private final Answers answers = new Answers();
    private final LogSurveyor surveyor = new LogSurveyor((Admin) Proxy.newProxyInstance(
            Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (proxy, method, arguments) -> {
                answers.asked.add(method.getName());
                return switch (method.getName()) {
                    case "describeTopics" -> answers.describeTopics((Collection<?>) arguments[0]);
                    case "describeConfigs" -> answers.describeConfigs((Collection<?>) arguments[0]);
                    case "listOffsets" -> answers.listOffsets((Map<?, ?>) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                };
            }));

    private static final class Answers {
        private final List<String> asked = new ArrayList<>();
        private final Map<String, TopicPartitionInfo> topics = new HashMap<>();
        private final Map<TopicPartition, RuntimeException> failures = new HashMap<>();
        private Optional<Config> config = Optional.empty();

        DescribeTopicsResult describeTopics(Collection<?> names) {
            Map<String, KafkaFuture<TopicDescription>> described = new HashMap<>();
            for (Object name : names) {
                String topic = (String) name;
                TopicPartitionInfo info = topics.get(topic);
                described.put(
                        topic,
                        info == null
                                ? failed(new UnknownTopicOrPartitionException())
                                : KafkaFuture.completedFuture(
                                        new TopicDescription(topic, false, List.of(info), Set.of(), ID)));
            }
            return new DescribeTopicsResult(null, described) {};
        }

        DescribeConfigsResult describeConfigs(Collection<?> resources) {
            Map<ConfigResource, KafkaFuture<Config>> described = new HashMap<>();
            for (Object resource : resources) {
                described.put(
                        (ConfigResource) resource,
                        config.map(KafkaFuture::completedFuture)
                                .orElseGet(() -> failed(new TopicAuthorizationException("denied"))));
            }
            return new DescribeConfigsResult(described) {};
        }

        ListOffsetsResult listOffsets(Map<?, ?> partitions) {
            Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> offsets = new HashMap<>();
            for (Object key : partitions.keySet()) {
                TopicPartition partition = (TopicPartition) key;
                RuntimeException failure = failures.get(partition);
                offsets.put(
                        partition,
                        failure != null
                                ? failed(failure)
                                : KafkaFuture.completedFuture(new ListOffsetsResultInfo(7, -1, Optional.of(3))));
            }
            return new ListOffsetsResult(offsets);
        }

        private static <T> KafkaFuture<T> failed(RuntimeException failure) {
            KafkaFutureImpl<T> future = new KafkaFutureImpl<>();
            future.completeExceptionally(failure);
            return future;
        }
    }

    private static TopicPartitionInfo inSync(int... ids) {
        List<Node> isr =
                Arrays.stream(ids).mapToObj(id -> new Node(id, "host", 9092)).toList();
        List<Node> replicas = List.of(new Node(0, "host", 9092), new Node(1, "host", 9092));
        return new TopicPartitionInfo(0, isr.isEmpty() ? null : isr.get(0), replicas, isr);
    }

    @Test
    void aSurveyTakesTwoRequestsWhateverTheNumberOfPartitions() throws Exception {
        answers.topics.put("first", inSync(0, 1));
        answers.topics.put("second", inSync(1, 0));
        LogSurvey survey = surveyor.survey(Set.of("first", "second"));
        assertThat(survey.doubts()).isEmpty();
        assertThat(survey.terms())
                .containsOnly(
                        Map.entry(FIRST, new Term(ID.toString(), 3)), Map.entry(SECOND, new Term(ID.toString(), 3)));
        assertThat(survey.ends()).containsEntry(FIRST, 7L);
        assertThat(answers.asked).containsExactly("describeTopics", "listOffsets");
    }

    @Test
    void settingsAreAskedForWhileAReplicaIsNotInSync() throws Exception {
        answers.topics.put("first", inSync(0));
        answers.config = Optional.of(new Config(List.of(
                new ConfigEntry("min.insync.replicas", "1"),
                new ConfigEntry("unclean.leader.election.enable", "false"))));
        assertThat(surveyor.survey(Set.of("first")).doubts()).isEmpty();
        assertThat(answers.asked).containsExactly("describeTopics", "describeConfigs", "listOffsets");

        answers.config = Optional.of(new Config(List.of(
                new ConfigEntry("min.insync.replicas", "1"),
                new ConfigEntry("unclean.leader.election.enable", "true"))));
        assertThat(surveyor.survey(Set.of("first")).doubts().get(FIRST)).contains("unclean");
    }

    @Test
    void aClientThatMayNotDescribeTheSettingsNeedsAllReplicasInSync() throws Exception {
        answers.topics.put("first", inSync(0));
        assertThat(surveyor.survey(Set.of("first")).doubts().get(FIRST)).contains("[1]", "DescribeConfigs");
    }

    @Test
    void aPartitionWithoutALeaderIsNotAskedFor() throws Exception {
        answers.topics.put("first", inSync());
        answers.topics.put("second", inSync(0, 1));
        answers.failures.put(FIRST, new TopicAuthorizationException("asked"));
        LogSurvey survey = surveyor.survey(Set.of("first", "second"));
        assertThat(survey.doubts()).containsOnly(Map.entry(FIRST, "it has no leader"));
        assertThat(survey.terms()).containsOnlyKeys(SECOND);
    }

    @Test
    void oneLeaderThatDoesNotAnswerPutsOnlyItsPartitionsInDoubt() throws Exception {
        answers.topics.put("first", inSync(0, 1));
        answers.topics.put("second", inSync(0, 1));
        answers.failures.put(FIRST, new TimeoutException("slow"));
        LogSurvey survey = surveyor.survey(Set.of("first", "second"));
        assertThat(survey.doubts()).containsOnly(Map.entry(FIRST, "its leader does not answer"));
        assertThat(survey.terms()).containsOnlyKeys(SECOND);
        assertThat(survey.settledEpochs()).containsOnly(Map.entry(SECOND, 3));
    }

    @Test
    void aTopicThatIsGoneHasNoPartitions() throws Exception {
        answers.topics.put("first", inSync(0, 1));
        assertThat(surveyor.survey(Set.of("first", "gone")).partitions()).containsOnly(FIRST);
    }

    @Test
    void aRefusalIsAFailureWithItsRemedy() {
        answers.topics.put("first", inSync(0, 1));
        answers.failures.put(FIRST, new TopicAuthorizationException("denied"));
        assertThatThrownBy(() -> surveyor.survey(Set.of("first")))
                .isInstanceOf(KafkaException.class)
                .hasMessageContaining("may describe and read the topics");
    }

    @Test
    void aPartitionIsInDoubtIfItsTermChanged() {
        LogSurvey before = new LogSurvey(Map.of(FIRST, new Term("log", 3)), Map.of(), Map.of(), Map.of());
        LogSurvey after = new LogSurvey(Map.of(FIRST, new Term("log", 4)), Map.of(), Map.of(), Map.of());
        LogSurvey gone = new LogSurvey(Map.of(), Map.of(), Map.of(), Map.of());
        assertThat(before.doubtSince(before, FIRST)).isEmpty();
        assertThat(after.doubtSince(before, FIRST).orElseThrow()).contains("changed while it was read");
        assertThat(gone.doubtSince(before, FIRST)).isPresent();
    }
}
