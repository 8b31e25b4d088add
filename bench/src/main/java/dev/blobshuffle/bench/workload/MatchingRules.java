package dev.blobshuffle.bench.workload;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Finds the rules that a record matches, by ShuffleBench's definition and with its hash functions.
 * Rule k covers a part of a ring of 2^63 hashes. The part's length is the rule's selectivity, and
 * its start depends on k. A record matches the rules that cover the hash of its first 16 bytes.
 * Thread-safe.
 */
final class MatchingRules {
    private static final long PLACES_SEED = 0x2e3fac4f58fc98b4L;
    private static final Hasher64 RECORDS = Hashing.komihash5_0(0x81c1f2b68968424dL);
    private static final int HASHED_BYTES = 16;
    private static final long RING = Long.MAX_VALUE; // a mask: hashes have 63 bits
    private static final int SLOT_BITS = 16;
    private static final int SLOT_SHIFT = Long.SIZE - 1 - SLOT_BITS;

    private final long[] places;
    private final long[] widths;
    private final int[][] slots;

    private MatchingRules(double[] selectivities) {
        places = new long[selectivities.length];
        widths = new long[selectivities.length];
        List<List<Integer>> covering = new ArrayList<>();
        IntStream.range(0, 1 << SLOT_BITS).forEach(slot -> covering.add(new ArrayList<>(1)));
        for (int rule = 0; rule < selectivities.length; rule++) {
            places[rule] = Hashing.komihash4_3().hashLongIntToLong(PLACES_SEED, rule);
            widths[rule] = (long) (selectivities[rule] * 0x1p63); // saturates: 1 and more always match
            long first = (places[rule] & RING) >>> SLOT_SHIFT;
            long slotsCovered = Math.min(1L << SLOT_BITS, (widths[rule] >>> SLOT_SHIFT) + 2);
            for (long i = 0; i < slotsCovered; i++) {
                covering.get((int) ((first + i) & ((1 << SLOT_BITS) - 1))).add(rule);
            }
        }
        slots = covering.stream()
                .map(rules ->
                        rules.stream().mapToInt(Integer::intValue).sorted().toArray())
                .toArray(int[][]::new);
    }

    /** The rules of a run: selectivities follow Zipf's law and have the requested sum. */
    static MatchingRules of(Parameters parameters) {
        int rules = parameters.count(Parameter.RULES);
        double exponent = parameters.decimal(Parameter.ZIPF);
        double[] weights = IntStream.rangeClosed(1, rules)
                .mapToDouble(rank -> Math.pow(rank, -exponent))
                .toArray();
        double sum = IntStream.range(0, rules).mapToDouble(i -> weights[i]).sum();
        double total = parameters.decimal(Parameter.SELECTIVITY);
        return new MatchingRules(IntStream.range(0, rules)
                .mapToDouble(i -> weights[i] / sum * total)
                .toArray());
    }

    int size() {
        return places.length;
    }

    /** Passes the rules that a record matches to the receiver, in order. */
    void match(byte[] record, IntConsumer receiver) {
        long hash = RECORDS.hashBytesToLong(record, 0, HASHED_BYTES);
        for (int rule : slots[(int) ((hash & RING) >>> SLOT_SHIFT)]) {
            if (((hash - places[rule]) & RING) < widths[rule] || widths[rule] == Long.MAX_VALUE) {
                receiver.accept(rule);
            }
        }
    }

    /** The key of a rule. */
    static String key(int rule) {
        return "consumer_" + rule;
    }
}
