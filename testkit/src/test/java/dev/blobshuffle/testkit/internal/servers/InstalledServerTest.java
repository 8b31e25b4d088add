package dev.blobshuffle.testkit.internal.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which executable of a server the tests use. */
class InstalledServerTest {
    private static final InstalledServer SERVER = new InstalledServer("store", "1.8.2", "inside/store-server");

    @TempDir
    Path directory;

    private Path cache;
    private Path path;

    @BeforeEach
    void makeDirectories() throws IOException {
        cache = Files.createDirectory(directory.resolve("the cache"));
        path = Files.createDirectory(directory.resolve("the path"));
    }

    private InstalledServer.Found find() {
        return SERVER.find(Map.of("BLOBSHUFFLE_SERVERS", cache.toString(), "PATH", path + ":/absent"));
    }

    private static Path executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void theInstalledVersionWins() throws IOException {
        Path own = executable(cache.resolve("store-1.8.2/inside/store-server"), "#!/bin/sh\n");
        executable(cache.resolve("bin/store-server"), "#!/bin/sh\necho 1.9.0\n");
        executable(path.resolve("store-server"), "#!/bin/sh\necho 1.9.0\n");

        assertThat(find().path()).contains(own);
    }

    @ParameterizedTest
    @CsvSource({"1.8.2, true", "v1.8.3, true", "1.10.0, true", "1.8.1, false", "1.7.9, false", "2.0.0, false"})
    void anotherVersionIsUsedIfItIsCompatible(String version, boolean isUsed) throws IOException {
        Path other = executable(path.resolve("store-server"), "#!/bin/sh\necho \"Version: " + version + "\"\n");

        InstalledServer.Found found = find();

        assertThat(found.path()).isEqualTo(isUsed ? Optional.of(other) : Optional.empty());
        if (!isUsed) {
            assertThat(found.reason())
                    .contains(other.toString(), version, "1.8.2")
                    .contains("Run .ci/install-servers store");
        }
    }

    @Test
    void aVersionThatGoWroteIntoTheProgramCounts() throws IOException {
        Path other = executable(
                cache.resolve("bin/store-server"),
                "#!/bin/sh\nexit 2\n# \npath\tgithub.com/a/store\nmod\tgithub.com/a/store\tv1.8.4\th1:sum=\n");

        assertThat(find().path()).contains(other);
    }

    @Test
    void anUnknownVersionIsRefused() throws IOException {
        executable(path.resolve("store-server"), "#!/bin/sh\necho 'Version: git'\n");

        assertThat(find().path()).isEmpty();
        assertThat(find().reason()).contains("an unknown version", "1.8.2");
    }

    @Test
    void theReasonOfTheInstallationIsSaid() throws IOException {
        assertThat(find().reason()).contains("not installed. Run .ci/install-servers store");

        Files.createDirectory(cache.resolve("missing"));
        Files.writeString(cache.resolve("missing/store"), "there is no npm on the PATH. Install it.\n");

        assertThat(find().reason()).isEqualTo("it is not installed: there is no npm on the PATH. Install it.");
    }

    @Test
    void aScriptNeedsItsInterpreter() throws IOException {
        Path own = executable(cache.resolve("store-1.8.2/inside/store-server"), "#!/usr/bin/env node\n");

        assertThat(find().reason()).contains("there is no node on the PATH", own.toString());

        executable(path.resolve("node"), "#!/bin/sh\n");
        assertThat(find().path()).contains(own);
    }
}
