package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Checks after each test that everything on loan came back: contents made here, bytes read through
 * a store watched here, and budgets named here. It waits a while, so that threads of the code under
 * test can return what they hold.
 *
 * <pre>{@code
 * @RegisterExtension
 * final LoanCheck loans = new LoanCheck();
 * }</pre>
 */
public final class LoanCheck implements AfterEachCallback {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Duration patience;
    private final List<TrackedContent> contents = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> bytesOut = ConcurrentHashMap.newKeySet();
    private final Map<String, LongSupplier> budgets = Collections.synchronizedMap(new LinkedHashMap<>());
    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());

    /** A check with nothing on loan, which waits for half a minute. */
    public LoanCheck() {
        this(PATIENCE);
    }

    /** A check with nothing on loan, which waits for the given time. */
    public LoanCheck(Duration patience) {
        this.patience = patience;
    }

    /** Content that takes over some arrays. The caller holds the first reference. */
    public TrackedContent content(byte[]... parts) {
        TrackedContent content = new TrackedContent("content " + contents.size(), List.of(parts), violations);
        contents.add(content);
        return content;
    }

    /**
     * A store whose bytes must be closed. They are copies, which a close overwrites, so a later
     * read returns garbage.
     */
    public BlobStore watch(BlobStore store) {
        return new Watched(store);
    }

    /** A number that must be zero after the test. */
    public void expectZero(String name, LongSupplier budget) {
        budgets.put(name, budget);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        check();
    }

    /**
     * Checks now.
     *
     * @throws AssertionError if something is still on loan after a while, or was misused
     */
    public void check() {
        long start = System.nanoTime();
        List<String> missing = missing();
        while (!missing.isEmpty() && System.nanoTime() - start < patience.toNanos()) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(1));
            missing = missing();
        }
        missing.addAll(violations);
        if (!missing.isEmpty()) {
            throw new AssertionError("Not everything on loan came back: " + String.join("; ", missing) + ".");
        }
    }

    private List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < contents.size(); i++) {
            int references = contents.get(i).references();
            if (references > 0) {
                missing.add("content " + i + " has " + references + " references");
            }
        }
        bytesOut.forEach(bytes -> missing.add(bytes + " is not closed"));
        List.copyOf(budgets.entrySet()).forEach(budget -> {
            long left = budget.getValue().getAsLong();
            if (left != 0) {
                missing.add(budget.getKey() + " is " + left);
            }
        });
        return missing;
    }

    private final class Watched extends ForwardingBlobStore {
        Watched(BlobStore store) {
            super(store);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            return store().get(id, range).thenApply(bytes -> track(id + " " + range, bytes));
        }

        private BlobBytes track(String what, BlobBytes bytes) {
            String name = "read of " + what + " (" + System.identityHashCode(bytes) + " at " + System.nanoTime() + ")";
            bytesOut.add(name);
            byte[] copy = new byte[bytes.buffer().remaining()];
            bytes.buffer().get(copy);
            ByteBuffer buffer = ByteBuffer.wrap(copy);
            AtomicBoolean open = new AtomicBoolean(true);
            return new BlobBytes() {
                @Override
                public ByteBuffer buffer() {
                    if (!open.get()) {
                        violations.add(name + " is used after it was closed");
                    }
                    return buffer;
                }

                @Override
                public void close() {
                    if (open.compareAndSet(true, false)) {
                        bytesOut.remove(name);
                        Arrays.fill(copy, (byte) 0xDD);
                        bytes.close();
                    }
                }
            };
        }
    }
}
