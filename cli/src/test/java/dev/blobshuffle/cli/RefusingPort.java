package dev.blobshuffle.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A port that refuses connections: it is bound, and nothing listens. So no process can take it. */
public final class RefusingPort implements AutoCloseable {
    private final Socket bound = new Socket();

    /** A port of all addresses of this machine. */
    public RefusingPort() throws IOException {
        bound.bind(new InetSocketAddress(0));
    }

    /** Its number. */
    public int number() {
        return bound.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
