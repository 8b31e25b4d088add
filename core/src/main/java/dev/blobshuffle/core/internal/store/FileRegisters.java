package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.files.PrivateFiles;
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
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The registers of a file store. Each value of a register is a file with the next number, created
 * by a hard link, which fails if the number is taken. So exactly one of several processes creates
 * it, also on a network file system. The newest files are kept, so that a slow writer finds its
 * number taken.
 *
 * <p>Thread-safe.
 */
final class FileRegisters implements Registers {
    private static final String PREFIX = "blobshuffle-register-";
    /**
     * How many values are kept. A listing sees at least one of them, even if that many replacements
     * run at the same time.
     */
    private static final int KEPT = 8;

    private final Path directory;
    private final StoreTasks tasks;
    private final String process;
    private final AtomicLong drafts = new AtomicLong();

    /**
     * @param tasks where the work runs
     * @param process distinguishes this process's drafts from those of others
     */
    FileRegisters(Path directory, StoreTasks tasks, String process) {
        this.directory = directory;
        this.tasks = tasks;
        this.process = process;
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> CompletionStage<T> run(String what, Work<T> work) {
        return tasks.run(what, () -> {
            try {
                if (!StoreMarker.isIn(directory)) {
                    throw new NotDirectoryException(directory + " (does not exist, or is not mounted)");
                }
                return work.run();
            } catch (IOException e) {
                throw new StoreUnavailable(
                        "Cannot " + what + ": " + directory + " failed with " + e
                                + ". Check that the directory is mounted and writable.",
                        e);
            }
        });
    }

    @Override
    public CompletionStage<Optional<Register>> read(String name) {
        return run("read register " + name, () -> latest(name));
    }

    private Optional<Register> latest(String name) throws IOException {
        while (true) {
            long number = highest(name);
            if (number == 0) {
                return Optional.empty();
            }
            try {
                Path value = path(name, number);
                String text = Files.readString(value, StandardCharsets.UTF_8);
                byte[] ignored = Registers.bytes(name, text);
                Instant stored = Files.getLastModifiedTime(value, LinkOption.NOFOLLOW_LINKS)
                        .toInstant();
                return Optional.of(new Register(Long.toString(number), text, stored));
            } catch (NoSuchFileException e) {
                // Other writers have replaced this value so often that its file is gone. A newer
                // one exists.
                if (highest(name) <= number) {
                    throw e;
                }
            }
        }
    }

    @Override
    public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
        return run("write register " + name, () -> {
            byte[] ignored = Registers.bytes(name, text);
            long next =
                    expected.map(register -> Long.parseLong(register.version())).orElse(0L) + 1;
            return link(name, next, text) && isNewest(name, next);
        });
    }

    private boolean link(String name, long number, String text) throws IOException {
        Path draft = directory.resolve(PREFIX + name + "." + process + "." + drafts.incrementAndGet() + ".tmp");
        try {
            write(draft, text);
            Files.createLink(path(name, number), draft);
            force();
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

    private void force() throws IOException {
        if (java.io.File.separatorChar != '\\') { // Windows cannot, and does so by itself.
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /**
     * Whether the number is the newest. A slow writer may have created one that had been taken and
     * removed before.
     */
    private boolean isNewest(String name, long number) throws IOException {
        if (highest(name) > number) {
            Files.deleteIfExists(path(name, number));
            return false;
        }
        if (number > KEPT) {
            Files.deleteIfExists(path(name, number - KEPT));
        }
        return true;
    }

    private long highest(String name) throws IOException {
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

    private Path path(String name, long number) {
        return directory.resolve(PREFIX + name + "." + number);
    }
}
