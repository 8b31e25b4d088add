package dev.blobshuffle.bench.flight;

/** The systems that shuffle. Each has a program in {@code python/bench/flight}. */
public enum FlightSystem {
    /** The package {@code blobshuffle} in two plain processes. */
    BLOBS("blobs", 1, "BlobShuffle"),
    /** Daft's flight shuffle on one Ray node. */
    DAFT("daft", 1, "Daft"),
    /** The same on two nodes of one core each, which read each other's files by gRPC. */
    DAFT_TWO_NODES("daft", 2, "Daft, 2 nodes"),
    /** Ray Data's second shuffle, through local files. */
    RAY("ray", 1, "Ray Data"),
    /** Dask's P2P shuffle on two workers. */
    DASK("dask", 1, "Dask P2P");

    private final String program;
    private final int nodes;
    private final String title;

    FlightSystem(String program, int nodes, String title) {
        this.program = program;
        this.nodes = nodes;
        this.title = title;
    }

    /** The first word of its program's name. */
    String program() {
        return program;
    }

    /** Number of its nodes. */
    int nodes() {
        return nodes;
    }

    /** The name in output. */
    String title() {
        return title;
    }

    /** Whether it has a choice of codecs. P2P of Dask writes Arrow without compression. */
    boolean hasCodecs() {
        return this != DASK;
    }
}
