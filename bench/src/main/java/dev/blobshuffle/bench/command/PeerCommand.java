package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.peer.Served;
import dev.blobshuffle.bench.peer.ServingPlan;
import dev.blobshuffle.bench.peer.ServingRun;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.core.settings.ByteSize;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench peer}: the CPU cost for a member of a zone to serve ranges
 * of its cached bytes, from memory and from disk, plain and over TLS. The server is {@code
 * blobshuffle cache} in a process of its own; its CPU time comes from the operating system. A bare
 * server does the same work as a floor, because machines differ.
 */
@Command(
        name = "peer",
        description = "CPU time of serving cached ranges to other members of a zone.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class PeerCommand implements Callable<Integer> {
    private static final double BYTES_PER_GIB = 1 << 30;
    private static final String COMMAND_LINE = "dev.blobshuffle.cli.Main";

    @Option(names = "--tiers", split = ",", defaultValue = "MEMORY,DISK", description = "Where the server has them.")
    private List<ServingPlan.Tier> tiers;

    @Option(
            names = "--transports",
            split = ",",
            defaultValue = "PLAIN,TLS,MAC",
            description = "How they travel: as they are (from disk by sendfile), over TLS, or with a MAC.")
    private List<ServingPlan.Transport> transports;

    @Option(
            names = "--servers",
            split = ",",
            defaultValue = "FLOOR,CACHE",
            description = "The least that can be done, and blobshuffle cache.")
    private List<ServingPlan.Server> servers;

    @Option(names = "--range", defaultValue = "1 MiB", description = "Length of each read, up to 16 MiB.")
    private String range;

    @Option(names = "--readers", defaultValue = "4", description = "Reads at a time.")
    private int readers;

    @Option(names = "--gib", defaultValue = "8", description = "GiB that each run measures.")
    private double gibibytes;

    @Option(
            names = "--warm-up-gib",
            defaultValue = "16",
            description = "GiB before that: code that runs once per request is compiled late.")
    private double warmUpGibibytes;

    @Option(
            names = "--memory",
            defaultValue = "/dev/shm",
            description = "Directory on a memory file system, for the store and the disk tier: about 500 MiB.")
    private Path memory;

    @Mixin
    private ResultOutput output;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Map<String, Object> environment = Environment.asJson();
        List<Served> results = new ArrayList<>();
        for (ServingPlan.Tier tier : tiers) {
            for (ServingPlan.Transport transport : transports) {
                for (ServingPlan.Server server : servers) {
                    ServingPlan plan = plan(server, tier, transport);
                    if (plan.isPossible()) {
                        Served served = run(plan);
                        output.say(served.line());
                        results.add(served);
                    }
                }
            }
        }
        printComparison(out, results);
        output.write(
                environment, Map.of("runs", results.stream().map(Served::asJson).toList()));
        return 0;
    }

    private ServingPlan plan(ServingPlan.Server server, ServingPlan.Tier tier, ServingPlan.Transport transport) {
        return new ServingPlan(
                server,
                tier,
                transport,
                Math.toIntExact(ByteSize.parse(range).bytes()),
                readers,
                (long) (gibibytes * BYTES_PER_GIB),
                (long) (warmUpGibibytes * BYTES_PER_GIB));
    }

    /** The transports of each server and tier beside each other. */
    private void printComparison(PrintWriter out, List<Served> results) {
        out.println();
        out.println("CPU seconds per GiB, server + reader; from disk, plain is sendfile:");
        StringBuilder head = new StringBuilder("%-16s".formatted(""));
        transports.forEach(transport -> head.append("%18s".formatted(transport)));
        out.println(head);
        for (ServingPlan.Server server : servers) {
            for (ServingPlan.Tier tier : tiers) {
                StringBuilder line = new StringBuilder("%-16s".formatted(server + " " + tier));
                for (ServingPlan.Transport transport : transports) {
                    line.append("%18s"
                            .formatted(results.stream()
                                    .filter(served -> served.plan().equals(plan(server, tier, transport)))
                                    .findFirst()
                                    .map(Served::costs)
                                    .orElse("-")));
                }
                out.println(line);
            }
        }
        out.flush();
    }

    private Served run(ServingPlan plan) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(memory, "blobshuffle-bench");
        try (ServingRun run = new ServingRun(directory, plan, COMMAND_LINE)) {
            return run.measure();
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
