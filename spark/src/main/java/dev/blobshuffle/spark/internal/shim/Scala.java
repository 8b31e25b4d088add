package dev.blobshuffle.spark.internal.shim;

import scala.util.Properties;

/** The Scala that Spark was built with. */
public final class Scala {
    /**
     * Whether it is 2.12. Its {@code Seq} is another type than that of 2.13, so a resolver that
     * returns one cannot be of both: Spark's own serves the files there, and decommissioning moves
     * them to other executors.
     */
    public static final boolean IS_2_12 = Properties.versionNumberString().startsWith("2.12.");

    private Scala() {}
}
