package dev.blobshuffle.bench.search;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Scalability as Theodolite defines it: <b>demand</b> of a load is the least number of resources
 * with which all objectives hold, <b>capacity</b> of resources the largest load with which they
 * hold. Each pair of load and resources is measured once. Owned by one thread.
 *
 * <p>With the lower bound restriction, the search for a load begins at the demand of the largest
 * smaller load that could be met, because a larger load is assumed not to need less. A smaller load
 * that could not be met does not change the bound.
 */
public final class ScalabilitySearch {
    private final List<Long> loads;
    private final List<Long> resources;
    private final Strategy strategy;
    private final Experiment experiment;
    private final Map<List<Long>, Boolean> known = new HashMap<>();

    /** Whether the search for a load uses the results of smaller loads. */
    public enum Restriction {
        /** It does not. */
        NONE,
        /** It begins at the demand of the largest smaller load. */
        LOWER_BOUND
    }

    /**
     * A search.
     *
     * @param loads to try
     * @param resources to try
     */
    public ScalabilitySearch(List<Long> loads, List<Long> resources, Strategy strategy, Experiment experiment) {
        if (loads.isEmpty() || resources.isEmpty()) {
            throw new IllegalArgumentException(
                    "Cannot search among no loads or no resources. Give one or more of each.");
        }
        this.loads = loads.stream().sorted().distinct().toList();
        this.resources = resources.stream().sorted().distinct().toList();
        this.strategy = strategy;
        this.experiment = experiment;
    }

    /** The least resources for each load; empty if no number of them is enough. */
    public Map<Long, OptionalLong> demand(Restriction restriction) throws IOException, InterruptedException {
        Map<Long, OptionalLong> demand = new LinkedHashMap<>();
        int bound = 0;
        for (long load : loads) {
            OptionalInt found = strategy.first(bound, resources.size(), i -> holds(load, resources.get(i)));
            demand.put(
                    load, found.isPresent() ? OptionalLong.of(resources.get(found.getAsInt())) : OptionalLong.empty());
            if (restriction == Restriction.LOWER_BOUND && found.isPresent()) {
                bound = found.getAsInt();
            }
        }
        return demand;
    }

    /**
     * The largest load for each number of resources; empty if they do not carry even the smallest
     * load.
     */
    public Map<Long, OptionalLong> capacity(Restriction restriction) throws IOException, InterruptedException {
        Map<Long, OptionalLong> capacity = new LinkedHashMap<>();
        int bound = 0;
        for (long number : resources) {
            // The first load that is too high. The resources carry the loads before it.
            OptionalInt tooMuch = strategy.first(bound, loads.size(), i -> !holds(loads.get(i), number));
            int carried = tooMuch.orElse(loads.size()) - 1;
            capacity.put(number, carried >= 0 ? OptionalLong.of(loads.get(carried)) : OptionalLong.empty());
            if (restriction == Restriction.LOWER_BOUND) {
                bound = Math.max(bound, carried);
            }
        }
        return capacity;
    }

    private boolean holds(long load, long number) throws IOException, InterruptedException {
        Boolean before = known.get(List.of(load, number));
        if (before == null) {
            before = experiment.holds(load, number);
            known.put(List.of(load, number), before);
        }
        return before;
    }

    /**
     * Contradictory measurements, which may have misled a search: a load that some resources
     * carried, but more resources did not.
     */
    public List<String> oddities() {
        List<String> odd = new ArrayList<>();
        for (long load : loads) {
            for (int i = 1; i < resources.size(); i++) {
                Boolean less = known.get(List.of(load, resources.get(i - 1)));
                Boolean more = known.get(List.of(load, resources.get(i)));
                if (Boolean.TRUE.equals(less) && Boolean.FALSE.equals(more)) {
                    odd.add("load " + load + " was carried by " + resources.get(i - 1) + " but not by "
                            + resources.get(i));
                }
            }
        }
        return odd;
    }
}
