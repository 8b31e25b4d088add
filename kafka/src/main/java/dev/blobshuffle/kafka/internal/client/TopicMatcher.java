package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which topics shuffle through blobs: a topic must match an include pattern and no exclude
 * pattern. Changelogs and compacted topics never shuffle through blobs, because a notification has
 * no key. A pattern for a changelog is an error. All clients of a topic must use the same patterns.
 * Thread-safe.
 */
public final class TopicMatcher {
    private static final Logger LOG = LoggerFactory.getLogger(TopicMatcher.class);
    private static final String CHANGELOG = "-changelog";

    /** Most topics whose answers are kept; a subscription by pattern may match many topics. */
    private static final int REMEMBERED = 10_000;

    private final List<Pattern> include;
    private final List<Pattern> exclude;
    private final @Nullable Function<String, InvalidSettingsException> refusal;
    private final String included;
    private final AtomicBoolean isUnmatchedKnown = new AtomicBoolean();
    private final Map<String, Boolean> answers = new ConcurrentHashMap<>();

    private TopicMatcher(
            List<Pattern> include,
            List<Pattern> exclude,
            @Nullable Function<String, InvalidSettingsException> refusal,
            String included) {
        this.included = included;
        this.include = include;
        this.exclude = exclude;
        this.refusal = refusal;
    }

    /**
     * Matches topics by regular expressions over whole names.
     *
     * @throws InvalidSettingsException fatal: a pattern is malformed, or matches only changelogs;
     *     the message says which
     */
    public static TopicMatcher of(List<String> include, List<String> exclude) {
        for (String pattern : include) {
            if (isForChangelogsOnly(pattern)) {
                throw changelog("pattern '" + pattern + "'");
            }
        }
        return new TopicMatcher(
                compile("topics.include", include),
                compile("topics.exclude", exclude),
                null,
                String.join(", ", include));
    }

    /**
     * Whether a pattern certainly matches only changelogs: its end does, and it has neither
     * alternatives nor special groups. Other patterns are checked per topic.
     */
    private static boolean isForChangelogsOnly(String pattern) {
        String end = pattern.endsWith("$") ? pattern.substring(0, pattern.length() - 1) : pattern;
        return end.endsWith(CHANGELOG) && !end.contains("|") && !end.contains("(?");
    }

    /**
     * The default of Kafka Streams: an application's internal repartition topics, including those
     * of foreign-key joins.
     *
     * @param applicationId the {@code application.id}
     * @param exclude patterns of topics that stay native
     */
    public static TopicMatcher repartitionTopics(String applicationId, List<String> exclude) {
        String prefix = Pattern.quote(applicationId + "-");
        Pattern internal = Pattern.compile(prefix
                + "(.+-repartition|.+-subscription-registration-topic|.+-subscription-response-topic"
                + "|.*KTABLE-FK-JOIN-SUBSCRIPTION-(REGISTRATION|RESPONSE)-\\d+-topic)");
        return new TopicMatcher(
                List.of(internal),
                compile("topics.exclude", exclude),
                null,
                "internal repartition topics of " + applicationId);
    }

    /**
     * The same topics, for a client that must not use any of them: a match is an error.
     *
     * @param reason makes the error for a topic, with the remedy
     */
    public TopicMatcher refusing(Function<String, InvalidSettingsException> reason) {
        return new TopicMatcher(include, exclude, reason, included);
    }

    /**
     * Whether a topic shuffles through blobs.
     *
     * @throws InvalidSettingsException fatal: the patterns match a changelog, or a topic that this
     *     matcher refuses
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
        if (answer && refusal != null) {
            throw refusal.apply(topic);
        }
        if (answers.size() < REMEMBERED) {
            answers.put(topic, answer);
        }
        return answer;
    }

    /**
     * Warns once if no topic that a client reads matches an include pattern, whether or not an
     * exclude pattern matches it too.
     */
    public void warnUnlessIncluded(Collection<String> topics) {
        boolean isNone = !topics.isEmpty() && topics.stream().noneMatch(topic -> any(include, topic));
        if (isNone && isUnmatchedKnown.compareAndSet(false, true)) {
            LOG.warn(
                    "Nothing shuffles through blobs here: none of the topics {} matches {}. Either the topology has no"
                            + " repartition topic, or blobshuffle.topics.include names others.",
                    new TreeSet<>(topics),
                    this);
        }
    }

    /** A description of the topics for logs. */
    @Override
    public String toString() {
        return exclude.isEmpty()
                ? included
                : included + " except " + exclude.stream().map(Pattern::pattern).collect(Collectors.joining(", "));
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
            throw new InvalidSettingsException(
                    "Cannot read blobshuffle." + setting + ": '" + pattern + "' is not a regular expression, "
                            + e.getDescription() + ". Give patterns of topic names.",
                    e);
        }
    }

    private static InvalidSettingsException changelog(String what) {
        return new InvalidSettingsException("Cannot shuffle through blobs: " + what
                + " is a changelog, which is compacted by key, and notifications have none."
                + " Exclude it with blobshuffle.topics.exclude=.*" + CHANGELOG + ".");
    }
}
