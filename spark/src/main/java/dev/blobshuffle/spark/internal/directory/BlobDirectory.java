package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * All blobs of a Spark application: their shuffles, who wrote them, and which of them are stored.
 * The driver keeps it, about 300 bytes per blob, and forgets a shuffle's blobs with the shuffle.
 *
 * <p>Executors ask by lists of words ({@link #answer}). Requests and answers consist of classes of
 * the JDK, because Spark decodes messages with a class loader that may not know ours. Thread-safe.
 */
public final class BlobDirectory {
    static final String JOIN = "join";
    static final String OPEN = "open";
    static final String UPLOADING = "uploading";
    static final String STORED = "stored";
    static final String LOCATE = "locate";
    static final String LOST = "lost";
    static final String ENDING = "ending";
    static final String USED = "used";
    static final String MEMBERS = "members";
    static final String YES = "yes";
    static final String NO = "no";

    private final Map<BlobId, Entry> entries = new HashMap<>();
    private final Map<Integer, Set<BlobId>> shuffles = new HashMap<>();

    /** Blobs that executors were allowed to upload, and may still upload: with the executor. */
    private final Map<BlobId, String> uploading = new HashMap<>();

    private final MicroBatches batches = new MicroBatches();
    private final MemberList members = new MemberList();

    /** Where each executor runs that has begun. */
    private final Map<String, Zone> zones = new HashMap<>();

    private final Application application;

    /** Answers executors about all but blobs. Its methods may block. */
    public interface Application {
        /** An executor misses a blob, in the store or at its writer. */
        void lost(BlobId blob);

        /** An executor reports what it has asked of the store so far. */
        void used(String executor, Usage usage);

        /** Whether no executor reads blobs any more. */
        boolean isEnding();
    }

    /** Maps that an executor's loss would have made run again, had they not been stored. */
    private long savedMaps;

    /**
     * A blob.
     *
     * @param executor that wrote it
     * @param maps whose outputs it has, once it is stored; 0 if its executor is lost
     */
    private record Entry(int shuffle, Whereabouts whereabouts, String executor, int maps) {
        Entry at(Whereabouts next) {
            return new Entry(shuffle, next, executor, maps);
        }

        Entry counted() {
            return new Entry(shuffle, whereabouts, executor, 0);
        }
    }

    /** An empty directory of an application. */
    public BlobDirectory(Application application) {
        this.application = application;
    }

    /** Answers a request of {@link DirectoryClient}. */
    public ArrayList<String> answer(List<?> request) {
        List<String> words = request.stream().map(Object::toString).toList();
        return switch (words.get(0)) {
            case JOIN -> {
                join(words.get(1), new Zone(words.get(2)));
                yield new ArrayList<>(List.of(YES));
            }
            case OPEN -> {
                open(blob(words.get(1)), Integer.parseInt(words.get(2)), Whereabouts.Endpoint.parse(words.get(3)));
                yield new ArrayList<>(List.of(hasSeveralZones() ? YES : NO));
            }
            case UPLOADING -> new ArrayList<>(List.of(uploading(blob(words.get(1))) ? YES : NO));
            case STORED -> {
                boolean isKnown = stored(
                        blob(words.get(1)),
                        Long.parseLong(words.get(2)),
                        words.get(3).equals(YES),
                        Integer.parseInt(words.get(4)));
                yield new ArrayList<>(List.of(isKnown ? YES : NO));
            }
            case LOCATE -> {
                ArrayList<String> answers = new ArrayList<>();
                for (String each : words.subList(1, words.size())) {
                    answers.add(locate(blob(each)).text());
                }
                yield answers;
            }
            case LOST -> {
                application.lost(blob(words.get(1)));
                yield new ArrayList<>(List.of(YES));
            }
            case USED -> {
                application.used(words.get(1), Usage.parse(words.get(2)));
                yield new ArrayList<>(List.of(YES));
            }
            case MEMBERS -> members.answer(words.get(1), words.get(2), Long.parseLong(words.get(3)));
            case ENDING -> new ArrayList<>(List.of(application.isEnding() ? YES : NO));
            default ->
                throw new IllegalArgumentException("Cannot answer an executor: '" + words.get(0)
                        + "' is no request. Use one version of BlobShuffle in driver and executors.");
        };
    }

    /** Answers a request when the application has ended and its blobs are deleted. */
    public static ArrayList<String> answerAfterEnd(List<?> request) {
        boolean isQuestion = request.get(0).toString().equals(ENDING);
        return new ArrayList<>(List.of(isQuestion ? YES : NO));
    }

    private static BlobId blob(String text) {
        return BlobId.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("Cannot answer an executor: '" + text
                        + "' is no blob. Use one version of BlobShuffle in driver and executors."));
    }

    /** An executor begins. */
    private synchronized void join(String executor, Zone zone) {
        zones.put(executor, zone);
    }

    private synchronized boolean hasSeveralZones() {
        return zones.values().stream().distinct().count() > 1;
    }

    /** An executor begins a blob. */
    synchronized void open(BlobId blob, int shuffle, Whereabouts.Endpoint writer) {
        Zone zone = zones.getOrDefault(writer.executor(), Zone.SINGLE);
        Whereabouts whereabouts = new Whereabouts(Optional.of(writer), OptionalLong.empty(), zone);
        entries.put(blob, new Entry(shuffle, whereabouts, writer.executor(), 0));
        shuffles.computeIfAbsent(shuffle, id -> new HashSet<>()).add(blob);
    }

    /**
     * A stage of a micro-batch begins, and the earlier micro-batches of its query are over. Blobs
     * of these that are not stored yet need not be.
     *
     * @param shuffle that it writes, if any
     */
    public synchronized void stageOfBatch(String query, long batch, OptionalInt shuffle) {
        batches.begin(query, batch, shuffle);
    }

    /** An executor is about to upload a blob. Returns false if the blob is not needed any more. */
    synchronized boolean uploading(BlobId blob) {
        Entry known = entries.get(blob);
        if (known == null || application.isEnding() || batches.isOver(known.shuffle)) {
            return false;
        }
        uploading.put(blob, known.executor);
        return true;
    }

    /** How many blobs executors may be uploading. */
    public synchronized int uploads() {
        return uploading.size();
    }

    /**
     * A blob is in the store.
     *
     * @param keepsLocal whether the writer still has the outputs
     * @param maps whose outputs it has
     * @return false if the shuffle was removed: then the writer deletes the blob
     */
    synchronized boolean stored(BlobId blob, long length, boolean keepsLocal, int maps) {
        uploading.remove(blob);
        Entry known = entries.get(blob);
        if (known == null || application.isEnding()) {
            return false;
        }
        entries.put(blob, new Entry(known.shuffle, known.whereabouts.stored(length, keepsLocal), known.executor, maps));
        return true;
    }

    /** Where a blob is. */
    synchronized Whereabouts locate(BlobId blob) {
        Entry known = entries.get(blob);
        return known == null ? Whereabouts.NOWHERE : known.whereabouts;
    }

    /**
     * An executor is gone, with its disk.
     *
     * @return the blobs that are lost with it
     */
    public synchronized List<BlobId> executorLost(String executor) {
        members.remove(executor);
        zones.remove(executor);
        boolean ignored = uploading.values().removeIf(executor::equals);
        List<BlobId> lost = new ArrayList<>();
        entries.replaceAll((blob, entry) -> {
            boolean isStored = entry.whereabouts.length().isPresent();
            boolean isSaved = isStored && entry.executor.equals(executor);
            savedMaps += isSaved ? entry.maps : 0;
            boolean isWriter = entry.whereabouts
                    .writer()
                    .filter(writer -> writer.executor().equals(executor))
                    .isPresent();
            if (!isWriter) {
                return isSaved ? entry.counted() : entry;
            }
            if (!isStored) {
                lost.add(blob);
            }
            return entry.at(entry.whereabouts.withoutWriter()).counted();
        });
        return lost;
    }

    /** Whether an executor has blobs that are not stored. */
    public synchronized boolean hasUnstored(String executor) {
        return entries.values().stream()
                .anyMatch(entry -> unstoredAt(entry).filter(executor::equals).isPresent());
    }

    /** The executor that has the only outputs of a blob's maps, if it is not stored. */
    public synchronized Optional<String> unstoredAt(BlobId blob) {
        return Optional.ofNullable(entries.get(blob)).flatMap(BlobDirectory::unstoredAt);
    }

    private static Optional<String> unstoredAt(Entry entry) {
        return entry.whereabouts.length().isPresent()
                ? Optional.empty()
                : entry.whereabouts.writer().map(Whereabouts.Endpoint::executor);
    }

    /** The stored blobs of a blob's shuffle that no executor has on its disk. */
    public synchronized List<BlobId> storedOnlyWith(BlobId blob) {
        Entry known = entries.get(blob);
        if (known == null || known.whereabouts.length().isEmpty()) {
            return List.of();
        }
        return storedOnly(known.shuffle);
    }

    /** The stored blobs of a shuffle that no executor has on its disk. */
    public synchronized List<BlobId> storedOnly(int shuffle) {
        return shuffles.getOrDefault(shuffle, Set.of()).stream()
                .filter(other -> locate(other).length().isPresent())
                .filter(other -> locate(other).writer().isEmpty())
                .toList();
    }

    /** The store does not have a blob any more. */
    public synchronized void vanished(BlobId blob) {
        entries.computeIfPresent(blob, (id, entry) -> entry.at(entry.whereabouts.withoutStored()));
    }

    /**
     * Forgets the blobs of a shuffle.
     *
     * @return those that may be stored
     */
    public synchronized List<BlobId> removeShuffle(int shuffle) {
        batches.remove(shuffle);
        Set<BlobId> removed = shuffles.remove(shuffle);
        if (removed == null) {
            return List.of();
        }
        List<BlobId> stored = removed.stream()
                .filter(blob -> locate(blob).length().isPresent())
                .toList();
        removed.forEach(entries::remove);
        return stored;
    }

    /** The shuffles with blobs. */
    public synchronized List<Integer> shuffles() {
        return List.copyOf(shuffles.keySet());
    }

    /**
     * Maps that did not run again when their executors were lost, because their outputs were
     * stored.
     */
    public synchronized long savedMaps() {
        return savedMaps;
    }

    /** How many blobs it holds. */
    public synchronized int size() {
        return entries.size();
    }
}
