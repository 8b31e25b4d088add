package dev.blobshuffle.planner;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The request times of an object store. The profiles are models, not measurements. Whenever you
 * quote a number, name its profile.
 *
 * @param name the profile's name in reports
 * @param put times of puts; empty: puts take no time
 * @param get times of gets, and with 0 bytes of deletes and listings; empty: they take no time
 */
public record LatencyProfile(String name, Optional<LatencyModel> put, Optional<LatencyModel> get) {
    /** A store without latency. */
    public static final LatencyProfile ZERO = new LatencyProfile("zero", Optional.empty(), Optional.empty());

    /**
     * S3 Standard, chosen to lie within published ranges: a 16 MiB put takes 256 ms at the median
     * and 399 ms at p95, a get 318 and 566 ms.
     */
    public static final LatencyProfile S3_STANDARD = of(
            "s3-standard",
            new LatencyModel(70, 0.40, 90, 0.30, 0.02, 2.5),
            new LatencyModel(30, 0.50, 57, 0.35, 0.02, 2.5));

    /**
     * S3 as in the BlobShuffle paper, section 5, fitted to its shuffle latencies: a 16 MiB put
     * takes 566 ms at the median and 1,025 ms at p95, a get 73 and 133 ms.
     */
    public static final LatencyProfile S3_BLOBSHUFFLE_PAPER = of(
            "s3-blobshuffle-paper",
            new LatencyModel(120, 0.40, 37.5, 0.38, 0.03, 2.5),
            new LatencyModel(20, 0.45, 320, 0.40, 0.03, 2.5));

    /**
     * S3 as in the BlobShuffle paper, from what its section 5.2 says about requests: times double
     * from p50 to p95 and from p95 to p99, and a put of 16 MiB takes 7 to 9 times as long as a get.
     * One number fixes the level, the p95 with 12 instances (Figure 10), so latencies of other
     * figures are predictions. A 16 MiB put takes 478 ms at the median and 928 ms at p95, a get 62
     * and 110 ms. How times depend on the size is an assumption.
     */
    public static final LatencyProfile S3_PAPER_REQUESTS = of(
            "s3-paper-requests",
            new LatencyModel(120, 0.45, 46, 0.40, 0.04, 3),
            new LatencyModel(20, 0.45, 390, 0.40, 0.04, 3));

    /**
     * S3 Express One Zone, a guess: a 16 MiB put takes 118 ms at the median and 176 ms at p95, a
     * get 86 and 129 ms.
     */
    public static final LatencyProfile S3_EXPRESS = of(
            "s3-express",
            new LatencyModel(10, 0.30, 150, 0.25, 0.01, 3),
            new LatencyModel(5, 0.30, 200, 0.25, 0.01, 3));

    private static LatencyProfile of(String name, LatencyModel put, LatencyModel get) {
        return new LatencyProfile(name, Optional.of(put), Optional.of(get));
    }

    /** A store whose every request takes the same time, whatever its size. */
    public static LatencyProfile constant(Duration put, Duration get) {
        return of("constant", constant(put), constant(get));
    }

    private static LatencyModel constant(Duration time) {
        return new LatencyModel(time.toNanos() / 1e6, 0, Double.POSITIVE_INFINITY, 0, 0, 1);
    }

    /**
     * The same latencies for blobs and records that are smaller by a factor, for experiments at a
     * smaller scale.
     */
    public LatencyProfile scaledDown(double factor) {
        return new LatencyProfile(
                name, put.map(model -> model.scaledDown(factor)), get.map(model -> model.scaledDown(factor)));
    }

    /**
     * The same profile, with times scaled to the measured medians of a store. The profile's
     * dependence on size and its tails stay.
     *
     * @param put the measured median of puts; empty: the profile's
     * @param get the measured median of gets; empty: the profile's
     */
    public LatencyProfile measured(Optional<MeasuredMedian> put, Optional<MeasuredMedian> get) {
        if (put.isEmpty() && get.isEmpty()) {
            return this;
        }
        return new LatencyProfile(
                name + " with measured medians",
                this.put.map(model -> put.map(median -> median.of(model)).orElse(model)),
                this.get.map(model -> get.map(median -> median.of(model)).orElse(model)));
    }

    /**
     * A store's median for one kind of request.
     *
     * @param bytes mean size, above 0
     * @param millis median time in milliseconds, above 0
     */
    public record MeasuredMedian(double bytes, double millis) {
        /** Checks the numbers. */
        public MeasuredMedian {
            if (!(bytes > 0) || !(millis > 0)) {
                throw new IllegalArgumentException(
                        "Cannot use a median of " + millis + " ms for " + bytes + " bytes: give numbers above 0.");
            }
        }

        private LatencyModel of(LatencyModel model) {
            return model.slowedDown(millis / model.quantileMillis(bytes, 0.5));
        }
    }

    /**
     * A profile by its name.
     *
     * @throws IllegalArgumentException if there is none, with all names in the message
     */
    public static LatencyProfile named(String name) {
        return all().stream()
                .filter(profile -> profile.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Cannot find latency profile '" + name + "': there are "
                        + all().stream().map(LatencyProfile::name).collect(Collectors.joining(", "))
                        + ". Give one of these."));
    }

    /** All named profiles. */
    public static List<LatencyProfile> all() {
        return List.of(ZERO, S3_STANDARD, S3_BLOBSHUFFLE_PAPER, S3_PAPER_REQUESTS, S3_EXPRESS);
    }
}
