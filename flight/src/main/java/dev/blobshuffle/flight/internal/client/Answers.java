package dev.blobshuffle.flight.internal.client;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Calls that return one small answer. Stateless. */
public final class Answers {
    private Answers() {}

    /** Sends a request and waits for its answer; empty if the call ends without one. */
    public static byte[] one(ClientCall<byte[], byte[]> call, byte[] request, String what) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    private byte[] last = {};

                    @Override
                    public void onMessage(byte[] message) {
                        last = message;
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        if (status.isOk()) {
                            answer.complete(last);
                        } else {
                            answer.completeExceptionally(Failures.of(status, what));
                        }
                    }
                },
                new Metadata());
        call.request(Integer.MAX_VALUE);
        call.sendMessage(request);
        call.halfClose();
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
