package dev.blobshuffle.bench.search;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a number of instances carries a load.
 *
 * @param variant the variant that ran, with the options of its cell
 * @param load in the unit of the search
 * @param instances number of instances that ran
 * @param violation the objective that was not met, with its numbers; empty if all were met
 */
public record Verdict(String variant, long load, long instances, Optional<String> violation) {
    /** The verdict as in a result file. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("variant", variant);
        json.put("load", load);
        json.put("instances", instances);
        json.put("holds", violation.isEmpty());
        violation.ifPresent(text -> json.put("violation", text));
        return json;
    }
}
