package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging topics change}.
 */
@Command(
        name = "change",
        mixinStandardHelpOptions = true,
        description = {
            "Changes the retention of a topic, or adds partitions.",
            "With more partitions, records of a key may go to another one than before.",
            "Without --execute it only says what it would do."
        })
public final class TopicsChangeCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Parameters(paramLabel = "TOPIC", description = "Its name.")
    private String name;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "The new number of partitions, at least the present one (default: unchanged).")
    private @Nullable Integer partitions;

    @Option(
            names = "--retention",
            paramLabel = "forever|consumed|TIME",
            converter = RetentionOption.class,
            description = "The new retention (default: unchanged). Records beyond it are deleted soon after.")
    private @Nullable RetentionRule retention;

    @Option(names = "--execute", description = "Change it instead of only reporting.")
    private boolean executes;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public TopicsChangeCommand() {}

    @Override
    public Integer call() {
        return options.withLog("change topic " + name, this::change);
    }

    private int change(OpenLog log, PrintWriter out) {
        if (partitions == null && retention == null) {
            throw new InvalidSettingsException(
                    "Cannot change topic " + name + ": there is nothing to change. Give --partitions or --retention.");
        }
        LogTopic now = log.topic(name);
        int wanted = partitions == null ? now.partitions() : partitions;
        if (wanted < now.partitions() || wanted > LogTopic.MAX_PARTITIONS) {
            throw new InvalidSettingsException("Cannot change topic " + name + " to " + wanted + " partitions: it has "
                    + now.partitions() + ", and records are in all of them. Give " + now.partitions() + " to "
                    + LogTopic.MAX_PARTITIONS + ".");
        }
        RetentionRule rule = retention == null ? now.retention() : retention;
        boolean isChanged = wanted != now.partitions() || !rule.equals(now.retention());
        if (executes && isChanged) {
            LogTopic ignored = log.await(log.log().topics().change(now.number(), wanted, rule), "change topic " + name);
        }
        out.print(options.isJson() ? json(now, wanted, rule, isChanged) : text(now, wanted, rule, isChanged));
        return 0;
    }

    private String text(LogTopic now, int wanted, RetentionRule rule, boolean isChanged) {
        String shape = Shown.count(wanted, "partition") + ", retention " + Shown.retention(rule) + ".";
        if (!isChanged) {
            return "Topic " + Shown.text(name) + " is unchanged: it has " + shape + "\n";
        }
        String before = Shown.count(now.partitions(), "partition") + ", retention " + Shown.retention(now.retention());
        return executes
                ? "Topic " + Shown.text(name) + " now has " + shape + "\n"
                : "Topic " + Shown.text(name) + " has " + before + ". It would have " + shape
                        + "\nNothing was changed; run it with --execute.\n";
    }

    private String json(LogTopic now, int wanted, RetentionRule rule, boolean isChanged) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("topic", name);
        json.put("partitions_before", now.partitions());
        json.put("partitions", wanted);
        json.put("retention_before", Shown.retention(now.retention()));
        json.put("retention", Shown.retention(rule));
        json.put("executed", executes && isChanged);
        return Json.write(json);
    }
}
