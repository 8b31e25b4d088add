package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.membership.Endpoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Somebody between two members, who flips a bit in the middle of every large piece of an answer,
 * and keeps a copy of all.
 */
final class ChangingProxy implements AutoCloseable {
    private static final int LARGE = 1000;

    private final ServerSocket server;
    private final Endpoint member;
    private final boolean isChanging;
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

    ChangingProxy(Endpoint member, boolean isChanging) throws IOException {
        this.member = member;
        this.isChanging = isChanging;
        server = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
        start(this::accept);
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // One of the sides has ended the connection.
                    }
                },
                "changing proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket asker = server.accept();
            Socket answerer = new Socket(member.host(), member.port());
            sockets.add(asker);
            sockets.add(answerer);
            start(() -> pass(asker, answerer, false));
            start(() -> pass(answerer, asker, true));
        }
    }

    private void pass(Socket from, Socket to, boolean isAnswer) throws IOException {
        byte[] piece = new byte[64 << 10];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                if (isAnswer && isChanging && count > LARGE) {
                    piece[count / 2] ^= 1;
                }
                synchronized (seen) {
                    seen.write(piece, 0, count);
                }
                out.write(piece, 0, count);
            }
        }
    }

    Endpoint endpoint() {
        return new Endpoint("127.0.0.1", server.getLocalPort());
    }

    /** Everything that passed, in both directions. */
    byte[] seen() {
        synchronized (seen) {
            return seen.toByteArray();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : List.copyOf(sockets)) {
            socket.close();
        }
    }
}
