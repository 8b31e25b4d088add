package dev.blobshuffle.postgresqlembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class ServerLifeTest {
    static boolean hasProc() {
        return Files.exists(Path.of("/proc/self/stat"));
    }

    @Test
    @EnabledIf(value = "hasProc", disabledReason = "this system has no /proc, and so no zombies to tell by it")
    void aZombieIsGone() throws Exception {
        // The program that takes the shell's place never waits for the shell's child.
        Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec sleep 600").start();
        try (BufferedReader lines = parent.inputReader(StandardCharsets.UTF_8)) {
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
            assertThat(ServerLife.isGone(child)).isFalse();
            child.destroyForcibly();
            await("the child's end").atMost(Duration.ofMinutes(2)).until(() -> ServerLife.isGone(child));
            assertThat(child.isAlive()).as("a zombie").isTrue();
        } finally {
            parent.destroyForcibly();
        }
        parent.waitFor();
        assertThat(ServerLife.isGone(parent.toHandle())).isTrue();
    }
}
