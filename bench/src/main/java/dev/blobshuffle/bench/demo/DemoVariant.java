package dev.blobshuffle.bench.demo;

/** The ways in which the demo's application shuffles. */
enum DemoVariant {
    /** Every shuffled record goes through the brokers. */
    NATIVE("native"),
    /** Records go through blobs, notifications through the brokers. */
    BLOBS("BlobShuffle"),
    /** The same, and instances of a zone combine their blobs while it pays. */
    COMBINED("BlobShuffle, combined");

    private final String title;

    DemoVariant(String title) {
        this.title = title;
    }

    /** The name in output. */
    String title() {
        return title;
    }
}
