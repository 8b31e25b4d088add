package dev.blobshuffle.bench.peer;

/**
 * The plan of one run of {@code bench peer}.
 *
 * @param server the server that serves
 * @param tier where the server has the bytes
 * @param transport how the bytes are sent
 * @param rangeBytes length of each read
 * @param readers reads at a time
 * @param bytes measured bytes in total
 * @param warmUpBytes bytes before the measurement
 */
public record ServingPlan(
        Server server, Tier tier, Transport transport, int rangeBytes, int readers, long bytes, long warmUpBytes) {
    /** A kind of server. */
    public enum Server {
        /** A minimal server on the same machine in the same run: {@link BareServer}. */
        FLOOR,
        /** {@code blobshuffle cache}. */
        CACHE
    }

    /** The place where a server holds the bytes. */
    public enum Tier {
        /** In its memory. */
        MEMORY,
        /** In files. */
        DISK
    }

    /** The way in which bytes are sent. */
    public enum Transport {
        /** Unencrypted; from disk by sendfile. */
        PLAIN,
        /** Over TLS 1.3, with a certificate that the server creates from the secret. */
        TLS,
        /** Unencrypted, with an HMAC-SHA256. */
        MAC
    }

    /** Whether the server supports the transport. The bare server has no MAC. */
    public boolean isPossible() {
        return server == Server.CACHE || transport != Transport.MAC;
    }

    String name() {
        return (tier + " " + transport + (server == Server.FLOOR ? ", floor" : "")).toLowerCase(java.util.Locale.ROOT);
    }
}
