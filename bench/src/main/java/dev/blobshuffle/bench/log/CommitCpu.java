package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.process.CpuTime;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time of a run, in seconds; NaN if the operating system has no account of it.
 *
 * @param client of this process: publishers, and the path to the standby
 * @param servers of the primary and its standby
 */
record CommitCpu(double client, double servers) {
    private static final double MICROS_PER_SECOND = 1e6;

    /** Unknown CPU time. */
    static final CommitCpu UNKNOWN = new CommitCpu(Double.NaN, Double.NaN);

    /** CPU time until now. */
    static CommitCpu now(List<Long> serverPids) {
        try {
            return new CommitCpu(
                    CpuTime.of(List.of(ProcessHandle.current().pid())).total(),
                    CpuTime.ofTrees(serverPids).total());
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    CommitCpu since(CommitCpu earlier) {
        return new CommitCpu(client - earlier.client, servers - earlier.servers);
    }

    /** Mean number of busy processors. */
    double processors(double seconds) {
        return (client + servers) / seconds;
    }

    /** CPU time per commit, in microseconds. */
    double micros(double commits) {
        return (client + servers) / commits * MICROS_PER_SECOND;
    }

    /** The entry of a result file; empty if unknown. */
    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        if (Double.isFinite(client) && Double.isFinite(servers)) {
            json.put("client", client);
            json.put("servers", servers);
        }
        return json;
    }
}
