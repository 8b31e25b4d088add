package dev.blobshuffle.peer.internal.trust;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

/** Generates unique texts: a random part for this client, and a counter. Thread-safe. */
public final class Nonces {
    private static final int RANDOM_BYTES = 16;

    private final String client;
    private final AtomicLong count = new AtomicLong();

    public Nonces() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        client = HexFormat.of().formatHex(random);
    }

    public String next() {
        return client + "-" + Long.toHexString(count.getAndIncrement());
    }
}
