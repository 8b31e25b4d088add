package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The demo's temporary directory and the processes that run in it. When it closes, or when the JVM
 * ends (also by Ctrl-C), it kills the processes that this JVM started and deletes the directory.
 * Thread-safe.
 */
public final class Workspace implements AutoCloseable {
    private static final int DELETE_ATTEMPTS = 20;
    private static final long PAUSE_MILLIS = 50;

    private final Path root;
    private final Thread hook;
    private volatile boolean isEnding;
    private volatile Runnable lastWork = () -> {};
    private boolean isClosed; // guarded by this

    private Workspace(Path root) {
        this.root = root;
        this.hook = new Thread(this::end, "demo-clean-up");
    }

    /** Makes the directory. */
    public static Workspace open() {
        try {
            Workspace workspace = new Workspace(Files.createTempDirectory("blobshuffle-demo-"));
            Runtime.getRuntime().addShutdownHook(workspace.hook);
            return workspace;
        } catch (IOException e) {
            throw new DemoFailedException(
                    "Cannot make a temporary directory: " + e + ". Set -Djava.io.tmpdir in BLOBSHUFFLE_JAVA_OPTS.", e);
        }
    }

    /** A directory in it, created if it does not exist. */
    public Path directory(String name) {
        try {
            return Files.createDirectories(root.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A file with a secret by which the instances of this demo authenticate each other, created if
     * it does not exist.
     */
    public Path secret() {
        try {
            Path file = root.resolve("secret");
            if (!Files.exists(file)) {
                PrivateFiles.write(file, UUID.randomUUID().toString());
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the JVM is ending, which is then the cause of any failure. */
    public boolean isEnding() {
        return isEnding;
    }

    /**
     * Sets the work to do if the JVM is asked to end (Ctrl-C, SIGTERM), after the processes have
     * ended.
     */
    void whenInterrupted(Runnable work) {
        lastWork = work;
    }

    private void end() {
        isEnding = true;
        cleanUp(lastWork);
    }

    @Override
    public void close() {
        cleanUp(() -> {});
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending. The hook runs and finds nothing to do.
        }
    }

    private synchronized void cleanUp(Runnable work) {
        if (isClosed) {
            return;
        }
        isClosed = true;
        List<ProcessHandle> children = ProcessHandle.current().descendants().toList();
        children.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle child : children) {
            child.onExit().completeOnTimeout(child, 5, TimeUnit.SECONDS).join();
        }
        try {
            work.run();
        } catch (RuntimeException e) {
            System.err.println("Cannot delete the blobs of the demo: " + e.getMessage() + ". Delete them by hand.");
        }
        delete();
    }

    /**
     * Deletes the directory. It retries, because a process that was just killed may still create a
     * file.
     */
    private void delete() {
        for (int attempt = 1; Files.exists(root); attempt++) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (NoSuchFileException e) {
                continue;
            } catch (IOException | UncheckedIOException e) {
                if (attempt == DELETE_ATTEMPTS) {
                    System.err.println("Cannot delete " + root + ": " + e.getMessage() + ". Delete it by hand.");
                    return;
                }
                CompletableFuture.runAsync(
                                () -> {}, CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS))
                        .join();
            }
        }
    }
}
