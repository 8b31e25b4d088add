package dev.blobshuffle.bench.demo;

/** The two ways in which the demo's application shuffles. */
enum DemoVariant {
    /** Every shuffled record goes through the brokers. */
    NATIVE("native"),
    /** Records go through blobs, notifications through the brokers. */
    BLOBS("BlobShuffle");

    private final String title;

    DemoVariant(String title) {
        this.title = title;
    }

    /** The name in output. */
    String title() {
        return title;
    }
}
