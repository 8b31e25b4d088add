package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.store.RequestTimer;
import dev.blobshuffle.bench.store.StorePlan;
import dev.blobshuffle.bench.store.StoreReport;
import dev.blobshuffle.bench.store.StoreRunner;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench store}: the cost for this process to move blobs to a store
 * and back. If you name no store, an S3 simulator in a process of its own is the server, and a bare
 * socket client that also checksums is the floor. Runs of both follow each other in seeded random
 * order. Every blob is checked.
 */
@Command(
        name = "store",
        description = {
            "Throughput, CPU time, allocation and requests of puts and gets.",
            "Without --store, against an S3 simulator, next to a bare socket client."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class StoreCommand implements Callable<Integer> {
    private static final double BYTES_PER_GIB = 1 << 30;

    @Option(names = "--store", paramLabel = "URI", description = "The store; default: the simulator.")
    private @Nullable String uri;

    @Option(
            names = "--transports",
            split = ",",
            defaultValue = "plain,tls",
            description = "How to reach the simulator.")
    private List<String> transports;

    @Option(names = "--mib", split = ",", defaultValue = "1,4,8,16", description = "Sizes of blobs, MiB.")
    private List<Integer> sizes;

    @Option(names = "--concurrency", split = ",", defaultValue = "1,4,16", description = "Blobs in flight.")
    private List<Integer> concurrencies;

    @Option(names = "--gib", defaultValue = "0.25", description = "GiB that each run moves.")
    private double gibibytes;

    @Option(
            names = "--warm-up",
            defaultValue = "4000",
            description = {
                "Small puts, and as many gets, by each client before anything is measured, so that its code is compiled as in a process that has run for a while.",
                "0: a process that has just started."
            })
    private int warmUp;

    @Option(names = "--repetitions", defaultValue = "3", description = "Runs of each cell and client.")
    private int repetitions;

    @Option(names = "--seed", defaultValue = "1", description = "Seed of the bytes and of the order of runs.")
    private long seed;

    @Mixin
    private ResultOutput output;

    @Option(
            names = "--profile-out",
            paramLabel = "FILE",
            description = {
                "Only times single puts and gets of the sizes at --store, and writes them to a file:",
                "a latency profile for `bench paper --profile`."
            })
    private @Nullable Path profileOut;

    @Option(
            names = "--profile-requests",
            defaultValue = "200",
            description = "Puts, and as many gets, of each size for a profile.")
    private int profileRequests;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        StorePlan plan = plan();
        if (profileOut != null) {
            return writeProfile(profileOut);
        }
        if (!Files.isDirectory(Path.of("/proc/self/task"))) {
            throw invalid("Cannot measure: CPU time comes from Linux's /proc, and there is none. Run it on Linux.");
        }
        PrintWriter out = spec.commandLine().getOut();
        Map<String, Object> environment = Environment.asJson();
        StoreReport report = new StoreRunner(plan, output::say).run();
        out.println();
        out.print(report.table());
        out.println();
        out.print(report.summary());
        out.println(
                report.isVerified() ? "Every blob came back as it was." : "WRONG: a blob came back with other bytes.");
        out.flush();
        output.write(environment, asJson(report));
        return report.isVerified() ? 0 : 1;
    }

    private int writeProfile(Path file) throws IOException {
        if (uri == null || sizes.size() < 2 || profileRequests < 20) {
            throw invalid(
                    "Cannot write a profile: it needs a store, two sizes and 20 requests or more. Give --store URI"
                            + " --mib 1,16 --profile-requests 200.");
        }
        new RequestTimer(uri, sizes, profileRequests, output::say).run().write(file);
        output.say("Profile: " + file);
        return 0;
    }

    private StorePlan plan() {
        try {
            return new StorePlan(
                    Optional.ofNullable(uri),
                    transports,
                    sizes,
                    concurrencies,
                    (long) (gibibytes * BYTES_PER_GIB),
                    warmUp,
                    repetitions,
                    seed);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private CommandLine.ParameterException invalid(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    private Map<String, Object> asJson(StoreReport report) {
        Map<String, Object> all = new LinkedHashMap<>();
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("gibibytes", gibibytes);
        parameters.put("warm_up_requests", warmUp);
        parameters.put("repetitions", repetitions);
        parameters.put("seed", seed);
        all.put("parameters", parameters);
        all.putAll(report.asJson());
        return all;
    }
}
