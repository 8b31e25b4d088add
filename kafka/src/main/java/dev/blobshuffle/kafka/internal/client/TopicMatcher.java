package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.failure.InvalidSettings;
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
 * Which topics shuffle through blobs: those that an include pattern matches and no exclude pattern
 * does. Changelogs and compacted topics never do, for a notification has no key; a pattern that
 * asks for a changelog is an error. All clients of a topic must agree. Thread-safe.
 */
public final class TopicMatcher {
    private static final Logger LOG = LoggerFactory.getLogger(TopicMatcher.class);
    private static final String CHANGELOG = "-changelog";

    /** Answers are kept for this many topics at most; a subscription by pattern may show many. */
    private static final int REMEMBERED = 10_000;

    private final List<Pattern> include;
    private final List<Pattern> exclude;
    private final @Nullable Function<String, InvalidSettings> refusal;
    private final String included;
    private final AtomicBoolean isUnmatchedKnown = new AtomicBoolean();
    private final Map<String, Boolean> answers = new ConcurrentHashMap<>();

    private TopicMatcher(
            List<Pattern> include,
            List<Pattern> exclude,
            @Nullable Function<String, InvalidSettings> refusal,
            String included) {
        this.included = included;
        this.include = include;
        this.exclude = exclude;
        this.refusal = refusal;
    }

    /**
     * Topics by pattern (regular expressions over whole names).
     *
     * @throws InvalidSettings fatal: a pattern is malformed, or everything it can match is a
     *     changelog; the message says which
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
     * Only where that is certain: what else a pattern matches is seen when the topic comes. A
     * pattern that ends so and has neither alternatives nor groups of its own kinds is one.
     */
    private static boolean isForChangelogsOnly(String pattern) {
        String end = pattern.endsWith("$") ? pattern.substring(0, pattern.length() - 1) : pattern;
        return end.endsWith(CHANGELOG) && !end.contains("|") && !end.contains("(?");
    }

    /**
     * The default for Kafka Streams: the internal repartition topics of an application, those of
     * foreign-key joins included.
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
     * The same topics, for a client that must not meet any of them: a topic that matches is an
     * error.
     *
     * @param reason says why, with the remedy, for a topic
     */
    public TopicMatcher refusing(Function<String, InvalidSettings> reason) {
        return new TopicMatcher(include, exclude, reason, included);
    }

    /**
     * Whether a topic shuffles through blobs.
     *
     * @throws InvalidSettings fatal: the patterns ask for a changelog, or for a topic that is
     *     refused here
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
     * Warns, once, if none of the topics that a client reads would shuffle through blobs, excluded
     * ones aside.
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

    /** The topics in words, for logs. */
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
