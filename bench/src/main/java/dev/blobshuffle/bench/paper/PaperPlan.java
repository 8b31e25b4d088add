package dev.blobshuffle.bench.paper;

import dev.blobshuffle.planner.LatencyProfile;
import java.util.List;

/**
 * The part of the evaluation that is repeated.
 *
 * @param figures the figures to run
 * @param profiles the store's latencies; the first is the paper's
 * @param batches of a zone that are measured for each point, over all instances
 * @param seed of latencies and of everything else
 */
public record PaperPlan(List<Figure> figures, List<LatencyProfile> profiles, int batches, long seed) {
    private static final int LEAST_BATCHES = 50;

    /** The last figure that is run for further profiles. Later figures vary no size. */
    private static final int LAST_BY_SIZE = 8;

    /** Copies the lists and checks the numbers. */
    public PaperPlan {
        figures = List.copyOf(figures);
        profiles = List.copyOf(profiles);
        if (batches < LEAST_BATCHES || figures.isEmpty() || profiles.isEmpty()) {
            throw new IllegalArgumentException("Cannot run " + figures.size() + " figures with " + profiles.size()
                    + " profiles and " + batches + " batches. Give a figure, a profile and " + LEAST_BATCHES
                    + " batches or more.");
        }
    }

    /** The figures that a profile is run for. */
    List<Figure> figures(LatencyProfile profile) {
        return profile.equals(profiles.get(0))
                ? figures
                : figures.stream().filter(each -> each.number() <= LAST_BY_SIZE).toList();
    }
}
