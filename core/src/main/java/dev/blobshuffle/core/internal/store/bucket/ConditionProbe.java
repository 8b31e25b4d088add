package dev.blobshuffle.core.internal.store.bucket;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Tests the conditional writes that a store depends on, with an object of its own that it deletes
 * at the end. Owned by one thread.
 */
final class ConditionProbe {
    private static final String CREATION = "conditional put";
    private static final String REPLACEMENT = "conditional replace";
    private static final int MOST_BYTES = 1024;

    private final Bucket bucket;
    private final StoreContext context;
    private final String key;
    private final List<StoreFinding> findings = new ArrayList<>();

    ConditionProbe(Bucket bucket, KeyPrefix prefix, StoreContext context) {
        this.bucket = bucket;
        this.context = context;
        key = prefix.text() + "doctor-" + Long.toHexString(context.time().randomLong());
    }

    /** A finding for each condition; a refused request is one too. Blocks. */
    List<StoreFinding> findings() {
        String subject = CREATION;
        try {
            tryCreation();
            subject = REPLACEMENT;
            tryReplacement();
        } catch (StoreUnavailableException e) {
            findings.add(StoreFinding.unknown(subject, String.valueOf(e.getMessage())));
        } finally {
            remove();
        }
        return findings;
    }

    /** Exactly one of several instances creates a new store by this condition. */
    private void tryCreation() {
        boolean ignored = create("first");
        findings.add(
                create("second")
                        ? StoreFinding.warning(
                                CREATION,
                                "the store overwrites an object although the request forbids it, so two instances that create a store at once may see two stores",
                                "Start a single instance the first time.")
                        : StoreFinding.ok(CREATION, "an existing object is not overwritten"));
    }

    /** Sweepers agree by this condition. */
    private void tryReplacement() {
        context.meter().sent(Request.GET);
        String version = bucket.read(key, MOST_BYTES)
                .map(Register::version)
                .orElseThrow(() -> new StoreUnavailableException("Cannot read " + key
                        + ": it was written and is not there. Use a store that shows what was written."));
        if (!replace(version, "third")) {
            findings.add(StoreFinding.warning(
                    REPLACEMENT,
                    "the store refuses to replace an object that has the version of the request, so no sweep deletes blobs",
                    "Use a store that supports If-Match, or expire blobs by a rule of the service."));
        } else if (replace(version, "fourth")) {
            findings.add(StoreFinding.warning(
                    REPLACEMENT,
                    "the store replaces an object although the request names another version, so no sweep deletes blobs",
                    "Use a store that supports If-Match, or expire blobs by a rule of the service."));
        } else {
            findings.add(StoreFinding.ok(REPLACEMENT, "an object of another version is not replaced"));
        }
    }

    private boolean create(String text) {
        context.meter().sent(Request.PUT);
        return bucket.putIfAbsent(key, text.getBytes(StandardCharsets.UTF_8));
    }

    private boolean replace(String version, String text) {
        context.meter().sent(Request.PUT);
        return bucket.putIfVersion(key, version, text.getBytes(StandardCharsets.UTF_8));
    }

    private void remove() {
        try {
            context.meter().sent(Request.DELETE);
            bucket.delete(List.of(key));
        } catch (StoreUnavailableException e) {
            findings.add(StoreFinding.hint(
                    CREATION, "the object " + key + " is left, because it could not be deleted", "Delete it."));
        }
    }
}
