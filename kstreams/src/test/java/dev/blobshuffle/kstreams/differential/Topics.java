package dev.blobshuffle.kstreams.differential;

import java.util.List;

/**
 * The input and output topics of one run.
 *
 * @param prefix unique among the runs on a broker
 */
public record Topics(String prefix) {
    /**
     * Partitions of every input topic: joins with the tables need the same number on both sides.
     */
    public static final int PARTITIONS = 3;

    /** Stream of {@code user;amount;sequence;partition}; a key is always in the same partition. */
    public String events() {
        return prefix + "-events";
    }

    /** Second stream, in the same form, for the stream-stream join. */
    public String clicks() {
        return prefix + "-clicks";
    }

    /** Table: user to name. */
    public String users() {
        return prefix + "-users";
    }

    /** Table: order to {@code product;quantity}. */
    public String orders() {
        return prefix + "-orders";
    }

    /** Table: product to its description. */
    public String products() {
        return prefix + "-products";
    }

    /** The topic of one output of the topology. */
    public String output(Output output) {
        return prefix + "-" + output.topic();
    }

    /** All input topics. */
    public List<String> inputs() {
        return List.of(events(), clicks(), users(), orders(), products());
    }
}
