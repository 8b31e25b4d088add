package dev.blobshuffle.postgresqlembedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorOutputStream;
import org.junit.jupiter.api.Test;

class ProgramArchiveTest {
    private static final int AT_ONCE = 8;

    /** As processes do that start together on a new machine. */
    @Test
    void severalMayUnpackAtOnce() throws Exception {
        byte[] archive = archive(UUID.randomUUID().toString());
        CyclicBarrier start = new CyclicBarrier(AT_ONCE);
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        List<Future<Path>> unpacked = new ArrayList<>();
        try {
            for (int i = 0; i < AT_ONCE; i++) {
                unpacked.add(threads.submit(() -> {
                    start.await();
                    return ProgramArchive.unpack(archive);
                }));
            }
            Path home = unpacked.get(0).get();
            for (Future<Path> each : unpacked) {
                assertThat(each.get()).isEqualTo(home);
            }
            assertThat(home.resolve("bin/program")).hasContent("runs");
            assertThat(Files.getPosixFilePermissions(home.resolve("bin"))).contains(PosixFilePermission.OTHERS_EXECUTE);
            assertThat(Files.getPosixFilePermissions(home.resolve("bin/program")))
                    .contains(PosixFilePermission.OTHERS_READ);
            Directories.delete(home);
        } finally {
            threads.shutdownNow();
        }
    }

    private static byte[] archive(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new XZCompressorOutputStream(bytes))) {
            put(tar, "bin/program", "runs");
            put(tar, "share/name", name);
        }
        return bytes.toByteArray();
    }

    private static void put(TarArchiveOutputStream tar, String name, String content) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(content.length());
        tar.putArchiveEntry(entry);
        tar.write(content.getBytes(UTF_8));
        tar.closeArchiveEntry();
    }
}
