package dev.blobshuffle.bench.messaging;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs every workload on every system once per round. The systems of one workload follow each
 * other, in a different order each round. Owned by one thread.
 */
public final class MessagingRunner {
    private final MessagingPlan plan;
    private final MessagingServers servers;
    private final Path directory;
    private final Consumer<String> progress;

    /**
     * A runner.
     *
     * @param directory for the files of the runs
     * @param progress receives a line for each run
     */
    public MessagingRunner(MessagingPlan plan, MessagingServers servers, Path directory, Consumer<String> progress) {
        this.plan = plan;
        this.servers = servers;
        this.directory = directory;
        this.progress = progress;
    }

    /** Runs everything. */
    public MessagingReport run() throws IOException, SQLException, InterruptedException {
        List<CellResult> results = new ArrayList<>();
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept("round " + (round + 1) + " of " + plan.rounds());
            for (Workload workload : plan.workloads()) {
                List<MessagingSystem> systems = new ArrayList<>(plan.systems(workload));
                Collections.rotate(systems, round);
                for (MessagingSystem system : systems) {
                    Path own = directory.resolve("run-" + results.size());
                    CellResult result = new CellRun(servers, own, workload, system).run(round);
                    progress.accept(result.line());
                    results.add(result);
                }
            }
        }
        return new MessagingReport(results);
    }
}
