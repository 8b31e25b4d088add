package dev.blobshuffle.bench.parameter;

import java.util.Locale;
import java.util.Optional;

/** A parameter of a run that is not a setting of Kafka or of the shuffle. */
public enum Parameter {
    /** Replicas and brokers. */
    REPLICATION("1", Form.COUNT, "Replicas of the shuffle's topics, and number of brokers."),
    /** Processes. */
    INSTANCES("2", Form.COUNT, "Processes of the application."),
    /** Threads. */
    THREADS("1", Form.COUNT, "Stream threads of each instance."),
    /** Input partitions. */
    PARTITIONS("4", Form.COUNT, "Partitions of the input; a shuffle has twice as many."),
    /** Replicas of the input. */
    INPUT_REPLICATION(
            "1", Form.COUNT, "Replicas of the input, which is no part of what is measured; at most `replication`."),
    /** Bytes. */
    RECORD_BYTES("1024", Form.COUNT, "Bytes of a record's value, where the workload lets them be chosen."),
    /** Measured records. */
    RECORDS("1048576", Form.COUNT, "Records that are measured, without a rate."),
    /** Records before. */
    WARM_UP_RECORDS("524288", Form.NUMBER, "Records before that."),
    /** Load. */
    RATE(
            "0",
            Form.NUMBER,
            "Records per second that the load generator sends; 0: the input lies ready, and is read as fast as possible."),
    /** Time before. */
    WARM_UP_SECONDS("10", Form.NUMBER, "Seconds before anything is measured, with a rate."),
    /** Time. */
    SECONDS("20", Form.COUNT, "Seconds that are measured, with a rate."),
    /** Patience. */
    DRAIN_SECONDS("60", Form.COUNT, "The longest wait for what was sent to come out, with a rate."),
    /** Guarantee. */
    GUARANTEE("at_least_once", Form.TEXT, "Kafka Streams' processing.guarantee."),
    /** Commits. */
    COMMIT_INTERVAL_MS("5000", Form.COUNT, "Kafka Streams' commit.interval.ms."),
    /** The paper's last step. */
    OUTPUT("false", Form.FLAG, "Whether the workload shuffle writes every record to an output topic too."),
    /** Seed. */
    SEED("1", Form.NUMBER, "Seed of the input."),
    /** Injected latency. */
    STORE_LATENCY("zero", Form.TEXT, "Profile of the latencies that the server of blobs-s3 injects."),
    /** Experiments at a smaller scale. */
    STORE_SCALE(
            "1",
            Form.DECIMAL,
            "How many times larger the blobs and the load are that a run stands for: the server of blobs-s3 takes as long as for blobs so much larger, and the cost is that of the requests for so many more bytes."),
    /** Zones. */
    ZONES("1", Form.COUNT, "Availability zones that the instances of variants with blobs say they are in, in turn."),
    /** Shared caches. */
    ZONE_CACHE(
            "false",
            Form.FLAG,
            "Whether the instances of a zone share their caches, so that a zone reads a section from the store once; give cache-bytes too."),
    /** Sensors. */
    KEYS("1000", Form.COUNT, "Sensors of uc1 to uc3 and of fanout."),
    /** Nested groups. */
    GROUPS("3", Form.COUNT, "Depth of the hierarchy of uc4; 4 to this power are its sensors."),
    /** Rules. */
    RULES("1000", Form.COUNT, "Rules of the matcher."),
    /** Selectivity. */
    SELECTIVITY("0.2", Form.DECIMAL, "Sum of the selectivities of the matcher's rules: copies per record."),
    /** Skew. */
    ZIPF("0", Form.DECIMAL, "Exponent by which the selectivities of the matcher's rules fall."),
    /** Matches per event. */
    OUTPUT_RATE("10", Form.COUNT, "Matches of a rule after which the matcher writes an event."),
    /** Instances that come and go. */
    JOINS(
            "0",
            Form.NUMBER,
            "Instances without state that join the others while a run of the matcher is measured, and leave again in order, one at a time."),
    /** Faults. */
    KILLS(
            "0",
            Form.NUMBER,
            "Instances that are killed with SIGKILL and started again while a run of the matcher is measured."),
    /** Faults. */
    BROKER_KILLS(
            "0",
            Form.NUMBER,
            "Brokers that are killed with SIGKILL and started again while a run of the matcher is measured, one at a time; needs replication=3."),
    /** Faults. */
    STORE_FAULTS(
            "0",
            Form.NUMBER,
            "Of a thousand requests to the store so many go wrong, in a run of the matcher: they fail before or after their effect, are refused as too many, or are answered with damaged bytes.");

    private enum Form {
        COUNT,
        NUMBER,
        DECIMAL,
        FLAG,
        TEXT
    }

    private final String byDefault;
    private final Form form;
    private final String meaning;

    Parameter(String byDefault, Form form, String meaning) {
        this.byDefault = byDefault;
        this.form = form;
        this.meaning = meaning;
    }

    /** The name in options, for example {@code record-bytes}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The value where none is given. */
    public String byDefault() {
        return byDefault;
    }

    /** A sentence for people. */
    public String meaning() {
        return meaning;
    }

    /** The parameter of a name. */
    static Optional<Parameter> named(String label) {
        for (Parameter parameter : values()) {
            if (parameter.label().equals(label)) {
                return Optional.of(parameter);
            }
        }
        return Optional.empty();
    }

    /**
     * The value, if it can be one.
     *
     * @throws IllegalArgumentException if not
     */
    String checked(String value) {
        try {
            boolean sound = switch (form) {
                case COUNT -> Long.parseLong(value) >= 1;
                case NUMBER -> Long.parseLong(value) >= 0;
                case DECIMAL -> Double.parseDouble(value) >= 0;
                case FLAG -> value.equals("true") || value.equals("false");
                case TEXT -> !value.isEmpty();
            };
            if (sound) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(refusal(value), e);
        }
        throw new IllegalArgumentException(refusal(value));
    }

    private String refusal(String value) {
        String wanted = switch (form) {
            case COUNT -> "a whole number, 1 or more";
            case NUMBER -> "a whole number, 0 or more";
            case DECIMAL -> "a number, 0 or more";
            case FLAG -> "true or false";
            case TEXT -> "a value";
        };
        return "Cannot run with " + value + " " + label().replace('-', ' ') + ". Give " + wanted + ".";
    }
}
