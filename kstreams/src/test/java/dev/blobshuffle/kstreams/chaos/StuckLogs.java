package dev.blobshuffle.kstreams.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * The state of the brokers' logs in a stuck run: partitions with transactions that are never ended.
 * Stateless.
 */
final class StuckLogs {
    private StuckLogs() {}

    static List<String> describe(String bootstrapServers) throws InterruptedException {
        Properties settings = new Properties();
        settings.setProperty("bootstrap.servers", bootstrapServers);
        List<String> lines = new ArrayList<>();
        try (Admin admin = Admin.create(settings)) {
            List<TopicPartition> partitions =
                    admin.describeTopics(admin.listTopics().names().get()).allTopicNames().get().values().stream()
                            .flatMap(topic -> topic.partitions().stream()
                                    .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                            .toList();
            Map<TopicPartition, ListOffsetsResultInfo> ends = ends(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
            Map<TopicPartition, ListOffsetsResultInfo> stable = ends(admin, partitions, IsolationLevel.READ_COMMITTED);
            for (TopicPartition partition : partitions) {
                long end = ends.get(partition).offset();
                if (end > stable.get(partition).offset()) {
                    lines.add(partition + " is stable until "
                            + stable.get(partition).offset() + " of " + end + ", "
                            + admin.describeProducers(List.of(partition))
                                    .partitionResult(partition)
                                    .get()
                                    .activeProducers());
                }
            }
            var open = admin.listTransactions().all().get();
            lines.add("transactions " + open);
            admin.describeTransactions(open.stream()
                            .map(TransactionListing::transactionalId)
                            .toList())
                    .all()
                    .get()
                    .forEach((id, transaction) -> lines.add(id + " " + transaction));
        } catch (ExecutionException e) {
            lines.add("the brokers do not say: " + e.getCause());
        }
        return lines;
    }

    private static Map<TopicPartition, ListOffsetsResultInfo> ends(
            Admin admin, List<TopicPartition> partitions, IsolationLevel isolation)
            throws ExecutionException, InterruptedException {
        return admin.listOffsets(
                        partitions.stream()
                                .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest())),
                        new ListOffsetsOptions(isolation))
                .all()
                .get();
    }
}
