package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that runs workloads. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class RunOptions {
    @Option(
            names = "--variants",
            split = ",",
            defaultValue = "native,native-tuned,blobs-memory,blobs-file",
            description = "What to compare.")
    List<String> variants;

    @Option(names = "--repetitions", defaultValue = "3", description = "Runs of each variant.")
    int repetitions;

    @Option(names = "--seed", defaultValue = "1", description = "Seed of the input and of the order of runs.")
    long seed;

    @Option(
            names = {"--with", "-p"},
            description =
                    "A parameter, NAME=VALUE (`bench run --list` lists them), or a setting, whose name has a dot: blobshuffle.* for the variants with blobs, others for all. May be repeated.")
    @Nullable
    List<String> with;

    @Option(
            names = "--set",
            description = "A setting of the application in every variant, NAME=VALUE; may be repeated.")
    @Nullable
    Map<String, String> extra;

    @Option(names = "--set-blobs", description = "A setting of the variants with blobs, NAME=VALUE; may be repeated.")
    @Nullable
    Map<String, String> blobExtra;

    @Option(names = "--jvm", description = "A JVM option of the application; may be repeated.")
    @Nullable
    List<String> jvmOptions;

    @Option(
            names = "--memory",
            defaultValue = "/dev/shm",
            description = "Directory on a memory file system, for the blobs of blobs-memory.")
    Path memory;

    @Option(
            names = "--directory",
            description =
                    "Directory for the brokers' data and the blobs of blobs-file; default: the system's temporary one.")
    @Nullable
    Path directory;

    @Option(names = "--json", description = "File for all numbers as JSON.")
    @Nullable
    Path json;

    @Option(names = "--csv", description = "File for the numbers of all runs as CSV.")
    @Nullable
    Path csv;

    @Option(names = "--report", description = "File for a report with plots, HTML.")
    @Nullable
    Path report;

    @Option(names = "--plots", description = "Directory for the plots as SVG and PNG.")
    @Nullable
    Path plots;

    /**
     * Other parameters, overridden by those that were given by name.
     *
     * @throws IllegalArgumentException if a value is not possible
     */
    Parameters parameters(Parameters base) {
        Parameters parameters = base.with("seed", Long.toString(seed));
        for (String one : with == null ? List.<String>of() : with) {
            int equals = one.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("Cannot read --with " + one + ": it has no name. Give NAME=VALUE.");
            }
            parameters = parameters.with(one.substring(0, equals), one.substring(equals + 1));
        }
        for (Map.Entry<String, String> one : given(extra).entrySet()) {
            parameters = parameters.withSetting(one.getKey(), one.getValue());
        }
        for (Map.Entry<String, String> one : given(blobExtra).entrySet()) {
            parameters = parameters.withBlobSetting(one.getKey(), one.getValue());
        }
        return parameters;
    }

    List<String> jvmOptions() {
        return jvmOptions == null ? List.of() : new ArrayList<>(jvmOptions);
    }

    private static Map<String, String> given(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
