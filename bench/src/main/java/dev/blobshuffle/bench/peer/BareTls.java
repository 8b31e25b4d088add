package dev.blobshuffle.bench.peer;

import dev.blobshuffle.s3sim.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * The JDK's TLS sockets, or plain ones, for {@link BareServer} and its readers. Immutable.
 *
 * @param store the key store with the one key and certificate; empty for plain sockets
 * @param context with that key; empty for plain sockets
 */
record BareTls(Optional<Path> store, Optional<SSLContext> context) {
    private static final String NONE = "plain";

    static BareTls none() {
        return new BareTls(Optional.empty(), Optional.empty());
    }

    /** TLS with a new key, which is kept in a directory for other processes. */
    static BareTls create(Path directory) {
        TlsIdentity identity = TlsIdentity.create();
        Path store = directory.resolve("keys.p12");
        identity.write(store);
        return new BareTls(Optional.of(store), Optional.of(identity.mutualContext()));
    }

    /** The same, from the text of {@link #argument()}. */
    static BareTls parse(String argument) {
        if (argument.equals(NONE)) {
            return none();
        }
        Path store = Path.of(argument);
        return new BareTls(
                Optional.of(store), Optional.of(TlsIdentity.read(store).mutualContext()));
    }

    /** This as an argument of a process. */
    String argument() {
        return store.map(Path::toString).orElse(NONE);
    }

    ServerSocket listen() throws IOException {
        if (context.isEmpty()) {
            throw new IllegalStateException("Cannot listen with TLS: there is no key.");
        }
        return context.get().getServerSocketFactory().createServerSocket(0, 64, InetAddress.getLoopbackAddress());
    }

    Socket connect(String host, int port) throws IOException {
        if (context.isEmpty()) {
            Socket socket = new Socket(host, port);
            socket.setTcpNoDelay(true);
            return socket;
        }
        SSLSocket socket = (SSLSocket) context.get().getSocketFactory().createSocket(host, port);
        socket.setTcpNoDelay(true);
        socket.startHandshake();
        return socket;
    }
}
