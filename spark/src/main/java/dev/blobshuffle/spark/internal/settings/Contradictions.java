package dev.blobshuffle.spark.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.SparkConf;

/** Settings of Spark that cannot be used with ours. Stateless. */
public final class Contradictions {
    private static final String TRACKING = "spark.dynamicAllocation.shuffleTracking.enabled";
    private static final String MANAGER = "spark.shuffle.manager";
    private static final String DATA_IO = "spark.shuffle.sort.io.plugin.class";
    private static final Set<String> OWN_MANAGERS =
            Set.of("sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager");

    private static final String DECOMMISSION = "spark.decommission.enabled";

    /**
     * With them, Spark asks for the outputs of a decommissioned executor before it gives up the
     * executor. Without, its maps run again, although it uploads their outputs before it ends.
     */
    private static final List<String> DECOMMISSION_OF_OUTPUTS =
            List.of("spark.storage.decommission.enabled", "spark.storage.decommission.shuffleBlocks.enabled");

    private static final String PLUGINS = "spark.plugins";
    private static final String OWN_SETTINGS = "spark.blobshuffle.";

    /** The class that users name. */
    static final String NAMED_PLUGIN = "dev.blobshuffle.spark.BlobShufflePlugin";

    /** The manager that users of Spark 3.5 name. */
    static final String NAMED_MANAGER = "dev.blobshuffle.spark.Spark35Shuffle";

    /** Releases of Spark that the tests run. */
    private static final List<String> LINES = List.of("3.5.", "4.0.", "4.1.", "4.2.");

    /** The release whose shuffle manager is made before plug-ins. */
    private static final String EARLY_MANAGER = "3.5.";

    /** Settings of Spark that must be false. */
    private static final List<Flag> REFUSED = List.of(
            new Flag(
                    "spark.shuffle.service.enabled",
                    "the external shuffle service serves files of executors, and the plug-in replaces it",
                    "Set it to false. Dynamic allocation works without the service."),
            new Flag(
                    "spark.shuffle.push.enabled",
                    "push-based merging needs the external shuffle service",
                    "Set it to false."),
            new Flag(
                    "spark.shuffle.useOldFetchProtocol",
                    "with the old protocol, attempts of a map have the same number",
                    "Set it to false."),
            new Flag(
                    TRACKING,
                    "it keeps executors alive that the plug-in makes dispensable",
                    "Remove the setting; the plug-in sets it to false."),
            new Flag(
                    "spark.driver.userClassPathFirst",
                    "Spark and the application would load the classes of the shuffle twice",
                    "Set it to false."),
            new Flag(
                    "spark.executor.userClassPathFirst",
                    "Spark and the application would load the classes of the shuffle twice",
                    "Set it to false."));

    private Contradictions() {}

    private record Flag(String name, String reason, String remedy) {}

    /**
     * Refuses settings that contradict the plug-in, and makes those that it needs.
     *
     * @param manager class of the shuffle manager
     * @param dataIo class of the shuffle's data I/O
     * @throws InvalidSettingsException fatal: a setting contradicts the plug-in
     */
    public static void settle(SparkConf conf, Class<?> manager, Class<?> dataIo) {
        for (Flag flag : REFUSED) {
            if (conf.getBoolean(flag.name, false)) {
                throw refused(flag.name, "true", flag.reason, flag.remedy);
            }
        }
        String given = conf.get(MANAGER, "sort");
        boolean isNamed = given.equals(NAMED_MANAGER);
        if (!OWN_MANAGERS.contains(given) && !given.equals(manager.getName()) && !isNamed) {
            throw refused(MANAGER, given, "the plug-in has a manager of its own", "Remove the setting.");
        }
        String io = conf.get(DATA_IO, dataIo.getName());
        if (!io.equals(dataIo.getName())) {
            throw refused(DATA_IO, io, "the plug-in has data I/O of its own", "Remove the setting.");
        }
        conf.set(MANAGER, isNamed ? given : manager.getName());
        conf.set(DATA_IO, dataIo.getName());
        conf.set(TRACKING, "false");
        if (conf.getBoolean(DECOMMISSION, false)) {
            DECOMMISSION_OF_OUTPUTS.forEach(name -> conf.setIfMissing(name, "true"));
        }
    }

    /**
     * Refuses releases of Spark whose internal classes are other ones.
     *
     * @throws InvalidSettingsException fatal: the release is not supported
     */
    public static void requireSupported(String version) {
        if (LINES.stream().noneMatch(version::startsWith)) {
            throw new InvalidSettingsException("Cannot keep shuffles in a store with Spark " + version
                    + ": this version of BlobShuffle supports 3.5, 4.0, 4.1 and 4.2. Use one of them, or remove the"
                    + " plug-in.");
        }
    }

    /**
     * Refuses an application of Spark 3.5 that does not name the shuffle manager: Spark has made
     * its own before it calls the plug-in.
     *
     * @throws InvalidSettingsException fatal: the manager is another one
     */
    public static void requireManager(String version, SparkConf conf) {
        if (version.startsWith(EARLY_MANAGER) && !conf.get(MANAGER, "sort").equals(NAMED_MANAGER)) {
            throw new InvalidSettingsException("Cannot keep shuffles in a store with Spark " + version
                    + " by the plug-in alone: Spark makes its shuffle manager before plug-ins. Set " + MANAGER + "="
                    + NAMED_MANAGER + " too.");
        }
    }

    /**
     * Refuses a part of the shuffle that Spark makes without the plug-in. It could not shuffle.
     *
     * @param part what the part is
     * @throws InvalidSettingsException fatal: {@code spark.plugins} does not name the plug-in
     */
    public static void requirePlugin(SparkConf conf, String part) {
        if (!hasPlugin(conf)) {
            throw new InvalidSettingsException("Cannot keep shuffles in a store by the " + part
                    + " alone: the plug-in is missing. Set " + PLUGINS + "=" + NAMED_PLUGIN + " too.");
        }
    }

    /** Settings of ours that have no effect, because the plug-in is missing. */
    public static List<String> settingsInVain(SparkConf conf) {
        return hasPlugin(conf)
                ? List.of()
                : Arrays.stream(conf.getAllWithPrefix(OWN_SETTINGS))
                        .map(setting -> OWN_SETTINGS + setting._1())
                        .sorted()
                        .toList();
    }

    /** Warns of settings that have no effect. */
    public static String warning(List<String> inVain) {
        return "The shuffles of this application stay with Spark alone: " + PLUGINS + " does not name the plug-in, so "
                + String.join(", ", inVain) + " has no effect. Set " + PLUGINS + "=" + NAMED_PLUGIN
                + " before the application starts.";
    }

    private static boolean hasPlugin(SparkConf conf) {
        return Arrays.stream(conf.get(PLUGINS, "").split(",", -1))
                .map(String::trim)
                .anyMatch(NAMED_PLUGIN::equals);
    }

    private static InvalidSettingsException refused(String name, String value, String reason, String remedy) {
        return new InvalidSettingsException(
                "Cannot keep shuffles in a store with " + name + "=" + value + ": " + reason + ". " + remedy);
    }
}
