package dev.blobshuffle.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A port that refuses connections. It is bound and does not listen, so no process can take it. */
public final class RefusingPort implements AutoCloseable {
    private final Socket bound = new Socket();

    /** Binds a port on all addresses of this machine. */
    public RefusingPort() throws IOException {
        bound.bind(new InetSocketAddress(0));
    }

    /** The port's number. */
    public int number() {
        return bound.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
