package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.Time;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The secrets that members accept at the same time. The first one signs. Several secrets are in use
 * while a secret is replaced, so that members with the old and the new file accept each other.
 * Thread-safe.
 */
public final class PeerSecrets {
    /** The most secrets. A request from a stranger costs an HMAC for each. */
    public static final int MOST = 4;

    private final Supplier<List<PeerSecret>> source;

    private PeerSecrets(Supplier<List<PeerSecret>> source) {
        this.source = source;
    }

    /** Secrets that do not change. The first one signs. */
    public static PeerSecrets of(PeerSecret... secrets) {
        List<PeerSecret> all = List.of(secrets);
        if (all.isEmpty() || all.size() > MOST) {
            throw new IllegalArgumentException("Cannot accept " + all.size() + " secrets. Give 1 to " + MOST + ".");
        }
        return new PeerSecrets(() -> all);
    }

    /**
     * The secrets of a file, one per line. The file is read again at most once a second, when the
     * secrets are used. A changed file is used if two successive reads find the same content, so a
     * half-written file is not used. If a file cannot be used, the previous secrets stay.
     *
     * @throws InvalidSettingsException fatal: the file cannot be read, others can read it, or it
     *     has a short secret or too many
     */
    public static PeerSecrets read(Path file, Time time) {
        return read(file, time, change -> {});
    }

    /**
     * The secrets of a file, as {@link #read(Path, Time)}.
     *
     * @param onCheck receives the outcome of each check that finds a change or a failure, from the
     *     thread that reads the file
     */
    public static PeerSecrets read(Path file, Time time, Consumer<Outcome> onCheck) {
        return new PeerSecrets(new SecretFile(file, time, onCheck));
    }

    /** The outcome of a check of a file of secrets that finds a change or a failure. */
    public enum Outcome {
        /** Changed secrets are in use. */
        CHANGED,
        /** The file cannot be used, so the previous secrets stay. */
        KEPT
    }

    /**
     * All accepted secrets; the first one signs. The list is the same object until the secrets
     * change.
     */
    public List<PeerSecret> all() {
        return source.get();
    }

    /** The secret that signs. */
    public PeerSecret first() {
        return all().get(0);
    }

    /** The keys for one purpose, in the order of the secrets. They change with the secrets. */
    public PeerSecrets forPurpose(String purpose) {
        return new PeerSecrets(new Derived(source, purpose));
    }

    @Override
    public String toString() {
        return "secrets";
    }

    /** Derives the keys again when the secrets have changed. */
    private static final class Derived implements Supplier<List<PeerSecret>> {
        private final Supplier<List<PeerSecret>> source;
        private final String purpose;
        private volatile @Nullable Keys last;

        private record Keys(List<PeerSecret> secrets, List<PeerSecret> keys) {}

        Derived(Supplier<List<PeerSecret>> source, String purpose) {
            this.source = source;
            this.purpose = purpose;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // The list is replaced, never changed.
        public List<PeerSecret> get() {
            List<PeerSecret> secrets = source.get();
            Keys known = last;
            if (known == null || known.secrets() != secrets) {
                known = new Keys(
                        secrets,
                        secrets.stream()
                                .map(secret -> secret.forPurpose(purpose))
                                .toList());
                last = known;
            }
            return known.keys();
        }
    }
}
