package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.PeerSecrets.Outcome;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets in a file, one per line. Each check reads the whole file, because neither permissions
 * nor a link above the file change the file's time. Thread-safe; one thread at a time reads the
 * file, and the others use the secrets in memory.
 */
final class SecretFile implements Supplier<List<PeerSecret>> {
    static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(SecretFile.class);
    private static final int MOST_BYTES = 4096;

    private final Path file;
    private final Time time;
    private final Consumer<Outcome> onCheck;
    private final AtomicBoolean isChecking = new AtomicBoolean();

    /** The content of the file, as last used. Guarded by isChecking, like the next two fields. */
    private String text;

    /** The changed content that the previous check found; empty if there was none. */
    private String changed = "";

    /** Why the previous check could not use the file; empty if it could. */
    private String failure = "";

    private volatile long nextCheck;
    private volatile List<PeerSecret> current;

    /** @throws InvalidSettingsException fatal: the file cannot be used */
    SecretFile(Path file, Time time, Consumer<Outcome> onCheck) {
        this.file = file;
        this.time = time;
        this.onCheck = onCheck;
        text = read();
        current = parse(text);
        nextCheck = time.nanos() + CHECK_EVERY.toNanos();
    }

    @Override
    public List<PeerSecret> get() {
        if (time.nanos() - nextCheck >= 0 && isChecking.compareAndSet(false, true)) {
            try {
                check();
            } finally {
                nextCheck = time.nanos() + CHECK_EVERY.toNanos();
                isChecking.set(false);
            }
        }
        return current;
    }

    private void check() {
        try {
            String now = read();
            if (now.equals(text)) {
                if (!failure.isEmpty()) {
                    LOG.info("The file {} can be used again.", file);
                }
                changed = "";
            } else {
                List<PeerSecret> secrets = parse(now);
                if (now.equals(changed)) {
                    use(now, secrets);
                }
                changed = now;
            }
            failure = "";
        } catch (InvalidSettingsException e) {
            changed = "";
            onCheck.accept(Outcome.KEPT);
            String reason = String.valueOf(e.getMessage());
            if (!reason.equals(failure)) {
                LOG.warn("Keeping the previous secrets, and reading the file again every second: {}", reason);
                failure = reason;
            }
        }
    }

    private void use(String content, List<PeerSecret> secrets) {
        text = content;
        current = secrets;
        LOG.info("Using the {} secrets of the changed file {}.", secrets.size(), file);
        onCheck.accept(Outcome.CHANGED);
    }

    private String read() {
        try (InputStream in = Files.newInputStream(file)) {
            PrivateFiles.check(file);
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new InvalidSettingsException("Cannot use " + file + " as a secret: it has more than " + MOST_BYTES
                        + " bytes. Give the right file.");
            }
            // Latin 1 keeps every byte as it is.
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read the secret: " + e
                            + ". Give blobshuffle.peer.secret.file a file that this process can read.",
                    e);
        }
    }

    private List<PeerSecret> parse(String content) {
        List<PeerSecret> secrets = new ArrayList<>();
        String[] lines = content.split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            byte[] secret = lines[i].strip().getBytes(StandardCharsets.ISO_8859_1);
            if (secret.length > 0) {
                try {
                    secrets.add(new PeerSecret(secret));
                } catch (InvalidSettingsException e) {
                    throw new InvalidSettingsException(
                            "Cannot use line " + (i + 1) + " of " + file + ": each line is a secret. " + e.getMessage(),
                            e);
                }
            }
        }
        if (secrets.isEmpty() || secrets.size() > PeerSecrets.MOST) {
            throw new InvalidSettingsException("Cannot use " + file + ": it has " + secrets.size()
                    + " secrets. Give 1 to " + PeerSecrets.MOST + ", each on its own line.");
        }
        return List.copyOf(secrets);
    }
}
