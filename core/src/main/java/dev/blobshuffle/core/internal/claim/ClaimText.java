package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The content of a store's claim register. A user of the store is a Kafka cluster or a commit log.
 *
 * @param counter increases with each value
 * @param lines one line for each application of a cluster, and one for each log
 * @param contest why nothing may be deleted; empty if deletes are allowed
 */
public record ClaimText(long counter, List<Line> lines, Optional<String> contest) {
    /** The register's name. */
    public static final String REGISTER = "claims";

    /** Replaces the topic if the application may not use its claims topic. */
    public static final String NO_TOPIC = "-";

    /** The prefix of a commit log's id, in the place of a cluster's id. */
    public static final String LOG = "log-";

    /** The value of a store without claims. */
    public static final ClaimText NONE = new ClaimText(0, List.of(), Optional.empty());

    private static final String HEAD = "BlobShuffle claims 1";

    /**
     * The claim of one application, or of a log.
     *
     * @param cluster the id of its Kafka cluster; for a log, {@code log-} and the log's id
     * @param topic its claims topic, or {@link #NO_TOPIC}; for a log, {@code log}
     * @param id the claimant id of its latest raise
     */
    public record Line(String cluster, String topic, String id) {}

    /** Copies the lines. */
    public ClaimText {
        lines = List.copyOf(lines);
    }

    /** The line of an application; empty if it has none. */
    public Optional<Line> line(String cluster, String topic) {
        return lines.stream()
                .filter(line -> line.cluster().equals(cluster) && line.topic().equals(topic))
                .findFirst();
    }

    /**
     * The next value, in which the applications' lines have a new id. The line of applications
     * without a topic is removed; such an application writes it again at its next check.
     */
    public ClaimText raised(String cluster, Set<String> topics, String id) {
        List<Line> next = new ArrayList<>(lines);
        next.removeIf(line -> line.cluster().equals(cluster)
                && (topics.contains(line.topic()) || line.topic().equals(NO_TOPIC)));
        topics.stream().sorted().forEach(topic -> next.add(new Line(cluster, topic, id)));
        return new ClaimText(counter + 1, next, contest);
    }

    /** The next value, with a contest: nothing may be deleted. */
    public ClaimText contested(String reason) {
        return new ClaimText(counter + 1, lines, Optional.of(reason.replace('\n', ' ')));
    }

    /** The next value, without the lines of a cluster. */
    public ClaimText without(String cluster) {
        return new ClaimText(
                counter + 1,
                lines.stream().filter(line -> !line.cluster().equals(cluster)).toList(),
                contest);
    }

    /** The text of the value in the register. */
    public String text() {
        StringBuilder text = new StringBuilder(HEAD + "\ncounter " + counter + "\n");
        contest.ifPresent(reason -> text.append("contest ").append(reason).append('\n'));
        lines.forEach(line -> text.append("claim ")
                .append(line.cluster())
                .append(' ')
                .append(line.topic())
                .append(' ')
                .append(line.id())
                .append('\n'));
        return text.toString();
    }

    /**
     * Parses a value.
     *
     * @throws InvalidSettingsException the text is not a valid value: a newer version or another
     *     program wrote it
     */
    public static ClaimText parse(String text) {
        String[] rows = text.split("\n");
        long counter = -1;
        Optional<String> contest = Optional.empty();
        List<Line> lines = new ArrayList<>();
        for (int row = 1; row < rows.length; row++) {
            String[] words = rows[row].split(" ");
            if (words.length == 2 && words[0].equals("counter") && words[1].matches("[0-9]{1,18}")) {
                counter = Long.parseLong(words[1]);
            } else if (rows[row].startsWith("contest ")) {
                contest = Optional.of(rows[row].substring("contest ".length()));
            } else if (words.length == 4 && words[0].equals("claim")) {
                lines.add(new Line(words[1], words[2], words[3]));
            } else {
                counter = -1;
                break;
            }
        }
        if (!rows[0].equals(HEAD) || counter < 0) {
            throw new InvalidSettingsException("Cannot read the claims of a store: the register holds something else."
                    + " Upgrade this instance, or restore the register.");
        }
        return new ClaimText(counter, lines, contest);
    }
}
