package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.store.StoreTasks;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The registers of a file store. Each value of a register is a file with the next number. A hard
 * link creates it, and fails if the number is taken. So exactly one of several processes creates
 * it, even on a network file system. The newest files are kept, so that a slow writer finds its
 * number taken.
 *
 * <p>Thread-safe.
 */
final class FileRegisters implements Registers {
    static final String PREFIX = "blobshuffle-register-";
    /**
     * The number of values that are kept. A listing sees at least one of them, even if as many
     * replacements run at the same time.
     */
    private static final int KEPT = 8;

    private final Place place;
    private final StoreTasks tasks;
    private final String process;
    private final AtomicLong drafts = new AtomicLong();

    /** Finds the directory of the registers. */
    interface Place {
        /**
         * The directory.
         *
         * @throws IOException the directory is not available; no other one may take its place
         */
        Path directory() throws IOException;
    }

    /**
     * @param place the directory of the registers, asked before each use
     * @param tasks runs the work
     * @param process distinguishes this process's drafts from those of others
     */
    FileRegisters(Place place, StoreTasks tasks, String process) {
        this.place = place;
        this.tasks = tasks;
        this.process = process;
    }

    /** Whether a directory holds a register. */
    static boolean isIn(Path directory, String name) throws IOException {
        return highest(directory, name) > 0;
    }

    /**
     * Writes the first value of a register.
     *
     * @throws FileAlreadyExistsException the register has a value
     */
    static void start(Path directory, String name, String text) throws IOException {
        Path draft = directory.resolve(PREFIX + name + ".first.tmp");
        Files.deleteIfExists(draft);
        try {
            write(draft, text);
            Path ignored = Files.createLink(path(directory, name, 1), draft);
        } finally {
            Files.deleteIfExists(draft);
        }
        BlobDirectory.force(directory);
    }

    private interface Work<T> {
        T in(Path directory) throws IOException;
    }

    private <T> CompletionStage<T> run(String what, Work<T> work) {
        return tasks.run(what, () -> {
            try {
                return work.in(place.directory());
            } catch (IOException e) {
                throw new StoreUnavailableException(
                        "Cannot " + what + ": the directory of the registers failed with " + e
                                + ". Check that the directory is mounted and writable.",
                        e);
            }
        });
    }

    @Override
    public CompletionStage<Optional<Register>> read(String name) {
        return run("read register " + name, directory -> latest(directory, name));
    }

    private static Optional<Register> latest(Path directory, String name) throws IOException {
        while (true) {
            long number = highest(directory, name);
            if (number == 0) {
                return Optional.empty();
            }
            try {
                Path value = path(directory, name, number);
                String text = Files.readString(value, StandardCharsets.UTF_8);
                byte[] ignored = Registers.bytes(name, text);
                Instant stored = Files.getLastModifiedTime(value, LinkOption.NOFOLLOW_LINKS)
                        .toInstant();
                return Optional.of(new Register(Long.toString(number), text, stored));
            } catch (NoSuchFileException e) {
                // Other writers have replaced this value so often that its file is gone. A newer
                // value exists.
                if (highest(directory, name) <= number) {
                    throw e;
                }
            }
        }
    }

    @Override
    public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
        return run("write register " + name, directory -> {
            byte[] ignored = Registers.bytes(name, text);
            long next =
                    expected.map(register -> Long.parseLong(register.version())).orElse(0L) + 1;
            return link(directory, name, next, text) && isNewest(directory, name, next);
        });
    }

    private boolean link(Path directory, String name, long number, String text) throws IOException {
        Path draft = directory.resolve(PREFIX + name + "." + process + "." + drafts.incrementAndGet() + ".tmp");
        try {
            write(draft, text);
            Files.createLink(path(directory, name, number), draft);
            BlobDirectory.force(directory);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (UnsupportedOperationException e) {
            throw new IOException("the file system of " + directory + " has no hard links", e);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static void write(Path draft, String text) throws IOException {
        try (FileChannel channel = PrivateFiles.create(draft)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                int ignored = channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /**
     * Whether the number is the newest. A slow writer may have created a file whose number had been
     * used and removed before.
     */
    private static boolean isNewest(Path directory, String name, long number) throws IOException {
        if (highest(directory, name) > number) {
            Files.deleteIfExists(path(directory, name, number));
            return false;
        }
        if (number > KEPT) {
            Files.deleteIfExists(path(directory, name, number - KEPT));
        }
        return true;
    }

    private static long highest(Path directory, String name) throws IOException {
        String start = PREFIX + name + ".";
        long highest = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, start + "*")) {
            for (Path file : files) {
                String number = file.getFileName().toString().substring(start.length());
                if (!number.isEmpty() && number.length() < 19 && number.chars().allMatch(Character::isDigit)) {
                    highest = Math.max(highest, Long.parseLong(number));
                }
            }
        }
        return highest;
    }

    private static Path path(Path directory, String name, long number) {
        return directory.resolve(PREFIX + name + "." + number);
    }
}
