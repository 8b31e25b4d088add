package dev.blobshuffle.kafka.differential;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * The known differences between the blob clients and Kafka's own clients, with reasons. The
 * differential test allows only these, and {@code docs/differences.md} has them as a chapter.
 */
final class Differences {
    private static final String MISSING_NATIVELY =
            "throws TimeoutException (retriable) and the callback throws TimeoutException (retriable)";
    private static final String MISSING =
            "throws InvalidPartitionsException and the callback throws InvalidPartitionsException";

    private static final List<Difference> ALL = List.of(
            new Difference(
                    "Offsets",
                    "count records",
                    "rise with the records of a partition and leave gaps; `offset() + 1` is the position after a record",
                    "A notification is one record of the broker and stands for many of yours. Compare offsets, and do"
                            + " not count with them.",
                    (natively, ours) -> false),
            new Difference(
                    "A record for a partition that the topic does not have",
                    "`send` waits for `max.block.ms`, then fails with `TimeoutException`",
                    "fails at once with `InvalidPartitionsException`, after a look at the brokers",
                    "The brokers know that the partition does not exist, so that a wait does not help.",
                    (natively, ours) ->
                            natively.replace(MISSING_NATIVELY, MISSING).equals(ours)),
            new Difference(
                    "`flush` in the callback of a `send`",
                    "throws `KafkaException`",
                    "stores and sends what is pending, and returns before the callbacks of it have run",
                    "The thread of the callbacks cannot wait for callbacks, but the records can be made safe.",
                    (natively, ours) -> ours.replace(OddCall.FLUSHED_IN_CALLBACK, OddCall.REFUSED_IN_CALLBACK)
                            .equals(natively)),
            new Difference(
                    "The commit of a producer that was fenced after it had begun the transaction",
                    "throws `InvalidProducerEpochException`",
                    "throws `CommitFailedException`",
                    "The commit sends what is pending, and reports its records as lost. Upon both an application aborts,"
                            + " and the abort says that another producer has the transactional id.",
                    (natively, ours) -> natively.replace("InvalidProducerEpochException", "CommitFailedException")
                            .equals(ours)),
            new Difference(
                    "A transactional producer after a `send` outside a transaction, which is an"
                            + " `IllegalStateException`",
                    "refuses `beginTransaction` too",
                    "goes on with the next transaction",
                    "The wrapper refuses the record before the real producer sees it, so that nothing is broken.",
                    (natively, ours) -> false),
            new Difference(
                    "`deleteRecords` before an offset inside a segment",
                    "deletes up to the offset",
                    "keeps the segment: records before the offset can still be read",
                    "A segment is deleted as a whole, once none of its records is needed.",
                    (natively, ours) -> false),
            new Difference(
                    "Records of an aborted transaction, read with `read_uncommitted`",
                    "all that reached the brokers before the abort",
                    "those that were flushed before the abort",
                    "An abort discards the batch that has not been stored.",
                    (natively, ours) -> natively.contains(SentLog.BETWEEN)),
            new Difference(
                    "Metrics that your interceptors, serializers, deserializers and partitioner add (`Monitorable`,"
                            + " since Kafka 4.1)",
                    "name the plug-in in the tags `config` and `class`",
                    "name it in the tags `plugin-config` and `plugin-class`",
                    "Kafka's client inside has one plug-in, ours, which passes its metrics on to yours.",
                    (natively, ours) -> false));

    private Differences() {}

    /**
     * A difference that a user can see.
     *
     * @param allowed whether it explains two results
     */
    private record Difference(
            String what, String natively, String ours, String reason, BiPredicate<String, String> allowed) {
        String row() {
            return "| " + what + " | " + natively + " | " + ours + " | " + reason + " |\n";
        }
    }

    static boolean allow(String natively, String ours) {
        return natively.equals(ours) || ALL.stream().anyMatch(difference -> difference.allowed.test(natively, ours));
    }

    /** The chapter of {@code docs/differences.md}. */
    static String chapter() {
        return "## Kafka clients\n\n| what | Kafka's clients | through blobs | reason |\n|---|---|---|---|\n"
                + ALL.stream().map(Difference::row).collect(Collectors.joining());
    }
}
