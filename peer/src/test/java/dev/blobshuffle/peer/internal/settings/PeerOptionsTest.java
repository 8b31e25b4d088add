package dev.blobshuffle.peer.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.peer.internal.PemFiles;
import dev.blobshuffle.peer.internal.ZoneFixture;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerOptionsTest {
    private static final SystemTime TIME = new SystemTime();

    @TempDir
    Path directory;

    private static PeerOptions options(String... namesAndValues) {
        Map<String, String> settings = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            settings.put("blobshuffle.peer." + namesAndValues[i], namesAndValues[i + 1]);
        }
        return PeerOptions.of(EngineSettings.parse(settings), TIME);
    }

    private String secretFile(String content) throws Exception {
        Path file = directory.resolve("secret");
        PrivateFiles.write(file, content);
        return file.toString();
    }

    @Test
    void aSecretIsReadFromItsFileWithoutTheSpaceAroundIt() throws Exception {
        PeerOptions options = options("secret.file", secretFile("  0123456789abcdef\n"), "listen", "127.0.0.1:0");
        assertThat(options.listen()).contains(new Endpoint("127.0.0.1", 0));
        assertThat(options.trust().keys().get(0).requests().sign("x"))
                .isEqualTo(ZoneFixture.secret("0123456789abcdef").sign("x"));
        assertThat(options.toString()).doesNotContain("0123456789abcdef");
    }

    @Test
    void nothingIsOpenToEverybody() {
        assertThatThrownBy(() -> options("listen", "127.0.0.1:0"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("peer.secret.file");
    }

    @Test
    void aSecretMustBeThereAndLong() throws Exception {
        String tooShort = secretFile("0123456789abcde");
        assertThatThrownBy(() -> options("secret.file", tooShort))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("15 bytes")
                .hasMessageNotContaining("0123456789");
        assertThatThrownBy(
                        () -> options("secret.file", directory.resolve("none").toString()))
                .isInstanceOf(InvalidSettingsException.class);
        String tooLong = secretFile("x".repeat(5000));
        assertThatThrownBy(() -> options("secret.file", tooLong)).isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void othersMustBeToldAnAddressThatTheyReach() throws Exception {
        String secret = secretFile("0123456789abcdef");
        assertThatThrownBy(() -> options("secret.file", secret, "listen", "0.0.0.0:7400"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("peer.advertised");
        assertThat(options("secret.file", secret, "listen", "0.0.0.0:7400", "advertised", "10.0.0.7:7400")
                        .advertised())
                .contains(new Endpoint("10.0.0.7", 7400));
    }

    @Test
    void certificatesComeAllOrNone() throws Exception {
        PemFiles files = PemFiles.create(directory);
        assertThatThrownBy(() ->
                        options("tls.certificate.file", files.certificate().toString()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("all three");
        assertThatThrownBy(() -> options(
                        "tls.certificate.file", files.certificate().toString(),
                        "tls.key.file", files.certificate().toString(),
                        "tls.trust.file", files.certificate().toString()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("PKCS#8");
        assertThat(options(
                                "tls.certificate.file", files.certificate().toString(),
                                "tls.key.file", files.key().toString(),
                                "tls.trust.file", files.certificate().toString())
                        .trust()
                        .usesTls(new Endpoint("127.0.0.1", 1)))
                .isTrue();
    }

    @Test
    void aProofIsOfOneRequestAndOneSecret() {
        PeerSecret secret = ZoneFixture.secret("0123456789abcdef");
        String proof = secret.sign("GET /a");
        assertThat(secret.accepts("GET /a", proof)).isTrue();
        assertThat(secret.accepts("GET /b", proof)).isFalse();
        assertThat(secret.accepts("GET /a", proof + "x")).isFalse();
        assertThat(secret.accepts("GET /a", "")).isFalse();
        assertThat(ZoneFixture.secret("0123456789abcdeX").accepts("GET /a", proof))
                .isFalse();
    }
}
