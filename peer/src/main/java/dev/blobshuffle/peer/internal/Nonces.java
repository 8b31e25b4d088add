package dev.blobshuffle.peer.internal;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

/** Generates unique texts: a random part for this client, and a counter. Thread-safe. */
final class Nonces {
    private static final int RANDOM_BYTES = 16;

    private final String client;
    private final AtomicLong count = new AtomicLong();

    Nonces() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        client = HexFormat.of().formatHex(random);
    }

    String next() {
        return client + "-" + Long.toHexString(count.getAndIncrement());
    }
}
