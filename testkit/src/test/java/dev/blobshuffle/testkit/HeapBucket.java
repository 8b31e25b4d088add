package dev.blobshuffle.testkit;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.Bucket;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreInspection;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A bucket in the heap with tiny pages, which can be made to answer too little. Thread-safe. */
final class HeapBucket implements Bucket {
    static final int PAGE = 3;
    static final int KEYS_PER_DELETE = 2;

    final ConcurrentSkipListMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
    final ConcurrentHashMap<String, Instant> times = new ConcurrentHashMap<>();
    final AtomicInteger closes = new AtomicInteger();

    /** How many bytes are missing at the end of each answer. */
    volatile int cut;

    /** The object whose length may not be asked for. */
    volatile String hidden = "";

    /** Whether it ignores conditions. */
    volatile boolean overwrites;

    /** Whether it ignores only the version of a replacement. */
    volatile boolean ignoresVersions;

    @Override
    public void put(String key, BlobContent content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (ByteBuffer buffer : content.buffers()) {
            byte[] copy = new byte[buffer.remaining()];
            buffer.get(copy);
            bytes.writeBytes(copy);
        }
        objects.put(key, bytes.toByteArray());
        times.put(key, Instant.now());
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        times.putIfAbsent(key, Instant.now());
        return objects.putIfAbsent(key, bytes) == null || overwrites;
    }

    @Override
    public Optional<Register> read(String key, int most) {
        byte[] bytes = objects.get(key);
        return bytes == null
                ? Optional.empty()
                : Optional.of(new Register(
                        Integer.toHexString(Arrays.hashCode(bytes)),
                        new String(bytes, StandardCharsets.UTF_8),
                        stored(key)));
    }

    @Override
    public boolean putIfVersion(String key, String version, byte[] bytes) {
        byte[] present = objects.get(key);
        boolean isSame =
                present != null && Integer.toHexString(Arrays.hashCode(present)).equals(version);
        // Compares the array itself: nobody else wrote meanwhile.
        boolean isWritten = isSame && objects.replace(key, present, bytes)
                || (overwrites || ignoresVersions) && objects.put(key, bytes) != null;
        if (isWritten) {
            times.put(key, Instant.now());
        }
        return isWritten;
    }

    @Override
    public Optional<ByteBuffer> get(String key, long offset, int length) {
        byte[] bytes = objects.get(key);
        if (bytes == null) {
            return Optional.empty();
        }
        int from = (int) Math.min(offset, bytes.length);
        int end = (int) Math.min(offset + length, bytes.length);
        return Optional.of(
                ByteBuffer.wrap(bytes, from, Math.max(0, end - from - cut)).slice());
    }

    @Override
    public OptionalLong length(String key) {
        if (key.equals(hidden)) {
            throw new StoreRefusedException("Cannot look for " + key + ": the test says so. Grant it.");
        }
        byte[] bytes = objects.get(key);
        return bytes == null ? OptionalLong.empty() : OptionalLong.of(bytes.length);
    }

    @Override
    public int keysPerDelete() {
        return KEYS_PER_DELETE;
    }

    @Override
    public void delete(List<String> keys) {
        if (keys.isEmpty() || keys.size() > KEYS_PER_DELETE) {
            throw new IllegalArgumentException("Cannot delete " + keys.size() + " keys.");
        }
        keys.forEach(objects::remove);
    }

    @Override
    public Page<Entry> objects(String start, Optional<String> from) {
        Page<String> page = page(objects.tailMap(start).keySet().stream()
                .takeWhile(key -> key.startsWith(start))
                .filter(key -> key.compareTo(from.orElse("")) > 0)
                .toList());
        return new Page<>(
                page.entries().stream().map(key -> new Entry(key, stored(key))).toList(), page.next());
    }

    private Instant stored(String key) {
        return times.getOrDefault(key, Instant.EPOCH);
    }

    @Override
    public Page<String> directories(String start, Optional<String> from) {
        Set<String> directories = new LinkedHashSet<>();
        for (String key : objects.tailMap(start).keySet()) {
            int slash = key.indexOf('/', start.length());
            if (key.startsWith(start)) {
                directories.add(slash < 0 ? key : key.substring(0, slash + 1));
            }
        }
        return page(directories.stream()
                .filter(key -> key.compareTo(from.orElse("")) > 0)
                .toList());
    }

    private static Page<String> page(List<String> rest) {
        List<String> page = new ArrayList<>(rest.subList(0, Math.min(PAGE, rest.size())));
        return new Page<>(page, rest.size() > PAGE ? Optional.of(page.get(PAGE - 1)) : Optional.empty());
    }

    @Override
    public StoreInspection inspect(KeyPrefix prefix) {
        return new StoreInspection(Optional.empty(), List.of(StoreFinding.ok("place", "it is the heap")));
    }

    @Override
    public String location() {
        return "heap://bucket";
    }

    @Override
    public void close() {
        closes.incrementAndGet();
    }
}
