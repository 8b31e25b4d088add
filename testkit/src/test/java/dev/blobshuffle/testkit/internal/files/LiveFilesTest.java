package dev.blobshuffle.testkit.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveFilesTest {
    @TempDir
    private Path directory;

    @Test
    void filesThatGoAwayDuringTheListingAreLeftOut() throws Exception {
        Path stays = Files.createFile(
                Files.createDirectories(directory.resolve("a/b")).resolve("1.blob"));
        Path lock = Files.createFile(directory.resolve("instance.lock"));
        AtomicBoolean isOver = new AtomicBoolean();
        CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> churn(isOver));
        for (int i = 0; i < 2_000; i++) {
            assertThat(LiveFiles.below(directory)).contains(stays, lock);
        }
        isOver.set(true);
        changes.join();
        assertThat(LiveFiles.blobs(directory)).containsExactly(stays);
        assertThat(LiveFiles.below(directory)).containsExactly(stays, lock);
    }

    private void churn(AtomicBoolean isOver) {
        try {
            while (!isOver.get()) {
                Path generation = Files.createDirectories(directory.resolve("c"));
                Path file = Files.createFile(generation.resolve("2.blob"));
                Files.delete(file);
                Files.delete(generation);
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void thereIsNothingBelowADirectoryThatIsAbsent() {
        assertThat(LiveFiles.below(directory.resolve("absent"))).isEmpty();
    }
}
