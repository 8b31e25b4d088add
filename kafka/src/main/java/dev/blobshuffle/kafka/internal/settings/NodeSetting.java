package dev.blobshuffle.kafka.internal.settings;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The settings {@code blobshuffle.keyparallel.*} of functions that run in parallel by key. Each
 * applies to all nodes of a topology, or to one node if the node's name precedes the setting's
 * name. This class checks only names; the nodes check the values. It is not in the module of the
 * nodes, because tools check an application's settings without Kafka Streams.
 */
public enum NodeSetting {
    /** Which calls may overlap. */
    ORDERING(
            "ordering",
            "key",
            "key, key-output, partition or unordered",
            "Which calls may overlap, and in which order results are forwarded."),

    /** The handling of records without a key. */
    NULL_KEYS(
            "null.keys",
            "parallel",
            "parallel or serial",
            "Whether records without a key may overlap, or are kept in order like those of one key."),

    /** The most concurrent calls. */
    MAX_CONCURRENCY(
            "max.concurrency",
            "256 with virtual threads (JDK 21), else four per processor",
            "a number of calls, 1 or more, or a range that adapts to the service: 8..1024",
            "Maximum number of concurrent calls of a task. In a range, it adapts to the service."),

    /** The most records that a task holds. */
    MAX_PENDING_RECORDS(
            "max.pending.records",
            "5000",
            "a number of records, 1 or more",
            "Maximum number of records of a task whose results are not forwarded yet."),

    /** The most bytes that a task holds. */
    MAX_PENDING_BYTES(
            "max.pending.bytes", "64 MiB", "bytes: 16777216 or 16 MiB", "The same limit in bytes of key and value."),

    /** The most bytes of all nodes. */
    MAX_PROCESS_BYTES(
            "max.process.bytes",
            "a quarter of the largest heap",
            "bytes: 268435456 or 256 MiB",
            "Maximum pending bytes of all nodes and tasks of the process. Each has an equal share."),

    /** The longest attempt. */
    TIMEOUT(
            "timeout.ms",
            "as long as commits can wait, at most 30000",
            "milliseconds, 1 or more",
            "Maximum time of one attempt. After it, the attempt is interrupted and fails."),

    /** The longest time that a commit waits. */
    DRAIN_TIMEOUT(
            "drain.timeout.ms",
            "half of what the commit's other limits leave, at most 60000",
            "milliseconds, 1 or more",
            "Maximum time that a commit waits for calls. After it, the tasks roll back to the last commit."),

    /** The nodes that are wrapped. */
    WRAP(
            "wrap",
            "none",
            "a regular expression",
            "Names of the nodes that `KeyParallelWrapper` calls in parallel; it cannot have a node's name before it.");

    /** The common prefix of all names. */
    public static final String PREFIX = Setting.PREFIX + "keyparallel.";

    private final String key;
    private final String defaultText;
    private final String form;
    private final String doc;

    NodeSetting(String key, String defaultText, String form, String doc) {
        this.key = key;
        this.defaultText = defaultText;
        this.form = form;
        this.doc = doc;
    }

    /** The name after the prefix, and after a node's name. */
    public String key() {
        return key;
    }

    /** The name for all nodes. */
    public String nameForAll() {
        return PREFIX + key;
    }

    /** The name for one node. */
    public String nameFor(String node) {
        return PREFIX + node + "." + key;
    }

    /** The default; a description if it is not a value. */
    public String defaultText() {
        return defaultText;
    }

    /** The form of a value. */
    public String form() {
        return form;
    }

    /** One sentence for the reference. */
    public String doc() {
        return doc;
    }

    /**
     * Checks a name of an application's settings. Names without the prefix are ignored.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the name has the prefix
     *     but is none of these settings; the message names the nearest one
     */
    public static void requireKnown(String name) {
        if (name.startsWith(PREFIX)) {
            Settings.requireKnown(name, List.of(new KeyParallelSettings()));
        }
    }

    /**
     * The names for all nodes, and the names for every node whose name the rest may begin with.
     * Node names may contain dots.
     */
    static List<String> candidates(String rest) {
        List<String> names = new ArrayList<>(namesForAll());
        for (int dot = rest.indexOf('.', 1); dot > 0; dot = rest.indexOf('.', dot + 1)) {
            String node = rest.substring(0, dot);
            Arrays.stream(values())
                    .filter(setting -> setting != WRAP)
                    .forEach(setting -> names.add(setting.nameFor(node)));
        }
        return names;
    }

    static List<String> namesForAll() {
        return Arrays.stream(values()).map(NodeSetting::nameForAll).toList();
    }
}
