package dev.blobshuffle.kafka;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Which topics shuffle through blobs: those that an include pattern matches and no exclude pattern does. Changelogs and compacted topics never do, for a
 * notification has no key; a pattern that asks for a changelog is an error. All clients of a topic must agree. Thread-safe.
 */
public final class TopicMatcher {
    private static final String CHANGELOG = "-changelog";

    /** Answers are kept for this many topics at most; a subscription by pattern may show many. */
    private static final int REMEMBERED = 10_000;

    private final List<Pattern> include;
    private final List<Pattern> exclude;
    private final Map<String, Boolean> answers = new ConcurrentHashMap<>();

    private TopicMatcher(List<Pattern> include, List<Pattern> exclude) {
        this.include = include;
        this.exclude = exclude;
    }

    /**
     * Topics by pattern (regular expressions over whole names).
     *
     * @throws InvalidSettings fatal: a pattern is malformed or names changelogs; the message says which
     */
    public static TopicMatcher of(List<String> include, List<String> exclude) {
        for (String pattern : include) {
            if (pattern.contains(CHANGELOG)) {
                throw changelog("pattern '" + pattern + "'");
            }
        }
        return new TopicMatcher(compile("topics.include", include), compile("topics.exclude", exclude));
    }

    /**
     * The default for Kafka Streams: the internal repartition topics of an application, those of foreign-key joins included.
     *
     * @param applicationId the {@code application.id}
     * @param exclude patterns of topics that stay native
     */
    public static TopicMatcher repartitionTopics(String applicationId, List<String> exclude) {
        String prefix = Pattern.quote(applicationId + "-");
        Pattern internal = Pattern.compile(prefix
                + "(.+-repartition|.+-subscription-registration-topic|.+-subscription-response-topic"
                + "|.*KTABLE-FK-JOIN-SUBSCRIPTION-(REGISTRATION|RESPONSE)-\\d+-topic)");
        return new TopicMatcher(List.of(internal), compile("topics.exclude", exclude));
    }

    /**
     * Whether a topic shuffles through blobs.
     *
     * @throws InvalidSettings fatal: the patterns ask for a changelog
     */
    public boolean matches(String topic) {
        Boolean known = answers.get(topic);
        if (known != null) {
            return known;
        }
        boolean answer = any(include, topic) && !any(exclude, topic);
        if (answer && topic.endsWith(CHANGELOG)) {
            throw changelog("topic '" + topic + "'");
        }
        if (answers.size() < REMEMBERED) {
            answers.put(topic, answer);
        }
        return answer;
    }

    private static boolean any(List<Pattern> patterns, String topic) {
        for (Pattern pattern : patterns) {
            if (pattern.matcher(topic).matches()) {
                return true;
            }
        }
        return false;
    }

    private static List<Pattern> compile(String setting, List<String> patterns) {
        return patterns.stream().map(pattern -> compile(setting, pattern)).toList();
    }

    private static Pattern compile(String setting, String pattern) {
        try {
            return Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw new InvalidSettings(
                    "Cannot read blobshuffle." + setting + ": '" + pattern + "' is not a regular expression, "
                            + e.getDescription() + ". Give patterns of topic names.",
                    e);
        }
    }

    private static InvalidSettings changelog(String what) {
        return new InvalidSettings("Cannot shuffle through blobs: " + what
                + " is a changelog, which is compacted by key, and notifications have none."
                + " Exclude it with blobshuffle.topics.exclude=.*" + CHANGELOG + ".");
    }
}
