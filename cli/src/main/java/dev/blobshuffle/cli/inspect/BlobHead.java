package dev.blobshuffle.cli.inspect;

import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The header fields that blobs of all kinds share.
 *
 * @param id the blob
 * @param kind of its content
 * @param createdMillis the writer's wall clock, milliseconds since the Unix epoch
 * @param store fingerprint of the store that it was written for
 */
record BlobHead(BlobId id, ContentKind kind, long createdMillis, int store) {
    void print(PrintWriter out) {
        out.println("blob      " + id);
        out.println("key       " + BlobKey.of(id));
        out.println("kind      " + kind.label());
        out.println("created   " + Instant.ofEpochMilli(createdMillis));
        out.println("store     " + hex(store) + " (fingerprint)");
    }

    /** The fields as a mutable map, to which the caller adds those of the kind. */
    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("sound", true);
        json.put("blob", id.toString());
        json.put("key", BlobKey.of(id));
        json.put("kind", kind.name().toLowerCase(Locale.ROOT));
        json.put("owner", BlobId.hex(id.owner()));
        json.put("generation", id.generation());
        json.put("writer", String.format(Locale.ROOT, id.owner() == BlobId.NO_OWNER ? "%016x" : "%010x", id.writer()));
        json.put("sequence", id.sequence());
        json.put("created_ms", createdMillis);
        json.put("store_fingerprint", hex(store));
        return json;
    }

    static String hex(int number) {
        return String.format(Locale.ROOT, "%08x", number);
    }
}
