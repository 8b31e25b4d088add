package dev.blobshuffle.cli.chart;

/** What things are drawn in, the same in every report. Told apart by people who see few colours, and in print. */
public enum Colour {
    /** The shuffle through the brokers. */
    NATIVE("#b45309"),
    /** The shuffle through blobs. */
    BLOBS("#0f766e"),
    /** What the reader should look at. */
    CHOSEN("#b91c1c"),
    /** A third thing to compare. */
    OTHER("#1d4ed8"),
    /** A fourth. */
    FURTHER("#7c3aed"),
    /** Lines of the grid. */
    GRID("#eeeeee");

    private final String code;

    Colour(String code) {
        this.code = code;
    }

    String code() {
        return code;
    }
}
