package dev.blobshuffle.bench.serving;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * The JDK's own TLS sockets, or none, for {@link BareServer} and those who read from it. Immutable.
 *
 * @param store the key store with the one key and certificate; empty for plain sockets
 * @param context of TLS 1.3; empty for plain sockets
 */
record BareTls(Optional<Path> store, Optional<SSLContext> context) {
    private static final String NONE = "plain";

    static BareTls none() {
        return new BareTls(Optional.empty(), Optional.empty());
    }

    /** TLS with the key of a store, and trust in its certificate. */
    static BareTls of(Path store) throws IOException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, BenchCertificate.password());
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(keys, BenchCertificate.password());
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(BenchCertificate.ALIAS, keys.getCertificate(BenchCertificate.ALIAS));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
            return new BareTls(Optional.of(store), Optional.of(context));
        } catch (GeneralSecurityException e) {
            throw new IOException("Cannot use the key in " + store + ": " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    /** The same, from what {@link #argument()} gave. */
    static BareTls parse(String argument) throws IOException {
        return argument.equals(NONE) ? none() : of(Path.of(argument));
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
