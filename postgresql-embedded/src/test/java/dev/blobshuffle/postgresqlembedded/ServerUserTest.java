package dev.blobshuffle.postgresqlembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServerUserTest {
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    private static final Path CHROOT = Path.of("/usr/sbin/chroot");

    @Test
    void setprivIsPreferredAndCoreutilsAreEnough() {
        assertThat(ServerUser.becomeNobody(Set.of(SETPRIV, CHROOT)::contains)).startsWith(SETPRIV.toString());
        assertThat(ServerUser.becomeNobody(Set.of(CHROOT)::contains))
                .startsWith(CHROOT.toString())
                .endsWith("/");
    }

    @Test
    void aMachineWithoutBothIsTold() {
        assertThatThrownBy(() -> ServerUser.becomeNobody(path -> false))
                .hasMessageContaining("setpriv")
                .hasMessageContaining("coreutils");
    }

    @Test
    void theWorkingDirectoryIsOneThatEveryUserMayEnter() throws IOException {
        Process process = ServerUser.process(List.of("pwd")).start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("/\n");
    }
}
