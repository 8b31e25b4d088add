package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An executor's way to the {@link BlobDirectory}. It remembers answers, up to 10,000. Each request
 * blocks until the driver answers. Thread-safe.
 */
public final class DirectoryClient {
    private static final int MOST_KNOWN = 10_000;

    private final Driver driver;
    private final Whereabouts.Endpoint self;
    private final Zone zone;
    private final Map<BlobId, Whereabouts> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<BlobId, Whereabouts> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    /** Sends a request to the driver. */
    @FunctionalInterface
    public interface Driver {
        /** The driver's answer. */
        Object ask(ArrayList<String> request) throws Exception;
    }

    /**
     * A client of an executor.
     *
     * @param self where the executor serves its blocks
     * @param zone where it runs
     */
    public DirectoryClient(Driver driver, Whereabouts.Endpoint self, Zone zone) {
        this.driver = driver;
        this.self = self;
        this.zone = zone;
    }

    /** Announces this executor. */
    public void join() {
        List<String> ignored = ask(List.of(BlobDirectory.JOIN, self.executor(), zone.name()));
    }

    /** Whether the maps of a blob ran in another zone than this executor. */
    public boolean isAway(Whereabouts blob) {
        return !blob.zone().equals(zone);
    }

    /** Where this executor serves its blocks. */
    public Whereabouts.Endpoint self() {
        return self;
    }

    /**
     * Announces a blob. From then on the driver knows who has the outputs of its maps.
     *
     * @return whether executors of other zones may read it
     */
    public boolean open(BlobId blob, int shuffle) {
        return ask(List.of(BlobDirectory.OPEN, blob.toString(), String.valueOf(shuffle), self.text()))
                .get(0)
                .equals(BlobDirectory.YES);
    }

    /** Announces an upload. Returns false if the blob is not needed any more. */
    public boolean uploading(BlobId blob) {
        return ask(List.of(BlobDirectory.UPLOADING, blob.toString())).get(0).equals(BlobDirectory.YES);
    }

    /**
     * Announces that a blob is in the store.
     *
     * @param keepsLocal whether this executor still has the outputs
     * @param maps whose outputs it has
     * @return false if the shuffle was removed, or the application ends: then the writer deletes it
     */
    public boolean stored(BlobId blob, long length, boolean keepsLocal, int maps) {
        String keeps = keepsLocal ? BlobDirectory.YES : BlobDirectory.NO;
        return ask(List.of(BlobDirectory.STORED, blob.toString(), String.valueOf(length), keeps, String.valueOf(maps)))
                .get(0)
                .equals(BlobDirectory.YES);
    }

    /** Reports what this executor has asked of the store so far. */
    public void used(Usage usage) {
        List<String> ignored = ask(List.of(BlobDirectory.USED, self.executor(), usage.text()));
    }

    /** Announces this executor as a member, and asks for the others. */
    MemberList.Answer members(Member member, long known) {
        return MemberList.Answer.parse(
                ask(List.of(BlobDirectory.MEMBERS, self.executor(), MemberList.text(member), String.valueOf(known))));
    }

    /**
     * Reports a blob that is neither in the store nor at its writer. Then the driver looks for
     * others like it.
     */
    public void lost(BlobId blob) {
        List<String> ignored = ask(List.of(BlobDirectory.LOST, blob.toString()));
    }

    /** Whether the application ends, so that no executor will read its blobs. */
    public boolean isEnding() {
        return ask(List.of(BlobDirectory.ENDING)).get(0).equals(BlobDirectory.YES);
    }

    /**
     * The executor in the own zone that has the outputs of a blob's maps, as far as is known
     * without a request.
     */
    public Optional<Whereabouts.Endpoint> nearWriter(BlobId blob) {
        return known(blob).filter(where -> !isAway(where)).flatMap(Whereabouts::writer);
    }

    /** The whereabouts of a blob, if they are known without a request. */
    public synchronized Optional<Whereabouts> known(BlobId blob) {
        return Optional.ofNullable(known.get(blob));
    }

    /**
     * Asks for those of some blobs that are not known, in one request.
     *
     * @return whether there were any
     */
    public boolean learn(Collection<BlobId> blobs) {
        List<BlobId> unknown;
        synchronized (this) {
            unknown = blobs.stream().filter(blob -> !known.containsKey(blob)).toList();
        }
        if (!unknown.isEmpty()) {
            refresh(unknown);
        }
        return !unknown.isEmpty();
    }

    /** Where a blob is, by a request if it is not known. */
    public Whereabouts locate(BlobId blob) {
        Optional<Whereabouts> answered = known(blob);
        return answered.isPresent() ? answered.get() : refresh(blob);
    }

    /** Where a blob is now, by a request. */
    public Whereabouts refresh(BlobId blob) {
        return refresh(List.of(blob)).get(0);
    }

    /** Where some blobs are now, in their order, by one request. */
    public List<Whereabouts> refresh(List<BlobId> blobs) {
        List<String> request = new ArrayList<>(List.of(BlobDirectory.LOCATE));
        blobs.forEach(blob -> request.add(blob.toString()));
        List<Whereabouts> answers =
                ask(request).stream().map(Whereabouts::parse).toList();
        synchronized (this) {
            for (int i = 0; i < blobs.size(); i++) {
                known.put(blobs.get(i), answers.get(i));
            }
        }
        return answers;
    }

    private List<String> ask(List<String> request) {
        try {
            List<?> answer = (List<?>) driver.ask(new ArrayList<>(request));
            return answer.stream().map(Object::toString).toList();
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new StoreUnavailableException(
                    "Cannot ask the driver about blobs: " + e + ". Spark tries the task again.", e);
        }
    }
}
