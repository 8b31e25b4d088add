package dev.blobshuffle.messaging.differential;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The known differences between messaging and what its calls suggest, with reasons. The model has
 * these differences, and no others. {@code docs/differences.md} has them as a chapter.
 */
final class Differences {
    private static final List<Difference> ALL = List.of(
            new Difference(
                    "Positions",
                    "count records",
                    "rise with the records of a partition and leave gaps",
                    "A position is the place of a batch in its topic and of a record in the batch. Compare positions,"
                            + " and do not count with them."),
            new Difference(
                    "`lag`",
                    "records of the partition that are not read yet",
                    "batches of the topic after the position, also those without a record of the partition",
                    "The log keeps one order per topic, and does not open batches to count."),
            new Difference(
                    "`seekTo` and `ConsumerGroups.seek` with a time",
                    "the record's own timestamp",
                    "the time at which the log committed the batch; all records of that batch are read",
                    "Commit times never fall along a topic. Timestamps are the publishers', and may be anything."),
            new Difference(
                    "Retention",
                    "deletes records",
                    "deletes batches: a record stays while another record of its batch is needed",
                    "A batch is the log's unit."),
            new Difference(
                    "A record for a topic that was deleted after this instance had last looked at it",
                    "`publish` throws `TopicAbsentException`",
                    "`flush`, or the commit of the transaction, throws it, also if the topic exists again; the next"
                            + " `publish` looks at the topic again",
                    "A publish does not ask the database."),
            new Difference(
                    "Other records of a flush that fails because one of its topics is absent",
                    "are published",
                    "may be lost with it; their answers say so",
                    "A batch is stored and committed as a whole."),
            new Difference(
                    "Keys after partitions were added",
                    "go to a partition among all of them",
                    "go to one among those that the publisher knows, for a minute at most",
                    "As with Kafka, a publisher refreshes what it knows of a topic."),
            new Difference(
                    "A topic that is deleted and made again under a subscriber",
                    "is read on",
                    "polls throw `TopicAbsentException`; open another subscriber",
                    "It is another topic: positions of the former one mean nothing in it, and records may be missing."),
            new Difference(
                    "A transaction whose caller makes it read-only and then writes",
                    "goes on failing with state `25P02`; the commit is an `IllegalStateException`",
                    "loses its connection; the commit is `LogUnavailableException`",
                    "State `25006` is also what a primary answers that has become a standby, and then only another"
                            + " connection helps."),
            new Difference(
                    "A position that `seek` names, and that the log does not have",
                    "`seek` throws",
                    "the next `poll` throws `LogWentBackException`, or follows the reset policy if retention has passed it",
                    "A seek does not ask the database."),
            new Difference(
                    "`poll` while one of the member's partitions cannot be read",
                    "returns what the other partitions have",
                    "returns it, or throws before all of it is returned; the next poll goes on",
                    "A failure is not hidden behind busy partitions."));

    private Differences() {}

    /** A difference that a user can see. */
    private record Difference(String what, String expected, String ours, String reason) {
        String row() {
            return "| " + what + " | " + expected + " | " + ours + " | " + reason + " |\n";
        }
    }

    /** The chapter of {@code docs/differences.md}. */
    static String chapter() {
        return "## Messaging\n\n| what | you may expect | messaging | reason |\n|---|---|---|---|\n"
                + ALL.stream().map(Difference::row).collect(Collectors.joining());
    }
}
