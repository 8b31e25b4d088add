package dev.blobshuffle.bench.store;

import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Moves blobs of one size. Each slot has a blob of its own and is used by one thread at a time. */
interface StoreClient extends AutoCloseable {
    /** Stores the slot's blob. */
    void put(int slot) throws Exception;

    /** Reads the slot's blob and returns its CRC32C. */
    long get(int slot) throws Exception;

    /** Deletes the slot's blob. */
    void delete(int slot) throws Exception;

    @Override
    void close() throws IOException;

    /** A store as the engine uses it; stays open. */
    static StoreClient of(BlobStore store, Blobs blobs) {
        return new StoreClient() {
            private BlobId id(int slot) {
                return new BlobId(1, 0x5107, slot);
            }

            @Override
            public void put(int slot) {
                store.put(id(slot), blobs.content()).toCompletableFuture().join();
            }

            @Override
            public long get(int slot) {
                try (BlobBytes bytes = store.get(id(slot), BlobRange.of(0, blobs.bytes()))
                        .toCompletableFuture()
                        .join()) {
                    CRC32C checksum = new CRC32C();
                    checksum.update(bytes.buffer());
                    return checksum.getValue();
                }
            }

            @Override
            public void delete(int slot) {
                store.delete(List.of(id(slot))).toCompletableFuture().join();
            }

            @Override
            public void close() {}
        };
    }

    /** A bare client per slot. */
    static StoreClient bare(URI endpoint, String bucket, Blobs blobs, int slots)
            throws IOException, GeneralSecurityException {
        List<BareClient> clients = new ArrayList<>();
        List<byte[]> buffers = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            clients.add(new BareClient(endpoint, bucket));
            buffers.add(new byte[blobs.bytes()]);
        }
        return new StoreClient() {
            private String key(int slot) {
                return "bare/" + slot;
            }

            @Override
            public void put(int slot) throws IOException {
                clients.get(slot).put(key(slot), blobs.content().buffers());
            }

            @Override
            public long get(int slot) throws IOException {
                return clients.get(slot).get(key(slot), buffers.get(slot));
            }

            @Override
            public void delete(int slot) throws IOException {
                clients.get(slot).delete(key(slot));
            }

            @Override
            public void close() throws IOException {
                for (BareClient client : clients) {
                    client.close();
                }
            }
        };
    }
}
