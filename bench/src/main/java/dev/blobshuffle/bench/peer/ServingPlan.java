package dev.blobshuffle.bench.peer;

/**
 * What one run of {@code bench peer} does.
 *
 * @param server who serves
 * @param tier where the server has the bytes
 * @param transport how they travel
 * @param rangeBytes length of each read
 * @param readers reads at a time
 * @param bytes measured, in all
 * @param warmUpBytes before that
 */
public record ServingPlan(
        Server server, Tier tier, Transport transport, int rangeBytes, int readers, long bytes, long warmUpBytes) {
    /** Who serves. */
    public enum Server {
        /** The least that can be done, on the same machine at the same time: {@link BareServer}. */
        FLOOR,
        /** {@code blobshuffle cache}. */
        CACHE
    }

    /** Where a server has bytes. */
    public enum Tier {
        /** In its memory. */
        MEMORY,
        /** In files. */
        DISK
    }

    /** How bytes travel. */
    public enum Transport {
        /** As they are: from disk by sendfile. */
        PLAIN,
        /** Over TLS 1.3, with a certificate that the server makes by the secret. */
        TLS,
        /** As they are, and an HMAC-SHA256 of them. */
        MAC
    }

    /** Whether the bare server can do this: it knows no MAC. */
    public boolean isPossible() {
        return server == Server.CACHE || transport != Transport.MAC;
    }

    String name() {
        return (tier + " " + transport + (server == Server.FLOOR ? ", floor" : "")).toLowerCase(java.util.Locale.ROOT);
    }
}
