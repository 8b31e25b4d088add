package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.flightdaemon.internal.server.call.Tokens;
import dev.blobshuffle.s3sim.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files for TLS and tokens with which no client could work are refused at the start. */
class SecuritySettingsTest {
    @TempDir
    private Path files;

    private SecureDaemon daemon;

    @BeforeEach
    void write() throws IOException {
        daemon = new SecureDaemon(files);
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws IOException {
        FlightConfig.Security.Tls own = (FlightConfig.Security.Tls) daemon.security();
        assertThat(TlsContexts.of(own, UnaryOperator.identity()).isServer()).isTrue();
        Path other = files.resolve("other.pem");
        PrivateFiles.write(other, TlsIdentity.create().keyPem());
        FlightConfig.Security.Tls mixed = new FlightConfig.Security.Tls(own.certificate(), other, own.tokens());
        assertThatThrownBy(() -> TlsContexts.of(mixed, UnaryOperator.identity()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("the key is another certificate's");
    }

    @Test
    void oneFileMayHaveKeyAndCertificate() throws IOException {
        FlightConfig.Security.Tls own = (FlightConfig.Security.Tls) daemon.security();
        Path both = files.resolve("both.pem");
        PrivateFiles.write(both, "Schlüssel\n" + Files.readString(own.key()) + Files.readString(own.certificate()));
        FlightConfig.Security.Tls one = new FlightConfig.Security.Tls(both, both, own.tokens());
        assertThat(TlsContexts.of(one, UnaryOperator.identity()).isServer()).isTrue();
    }

    @Test
    void tokensOfOtherNamespacesAloneAreRefused() {
        Path tokens = ((FlightConfig.Security.Tls) daemon.security()).tokens();
        assertThat(new Tokens(tokens, Set.of("default", "third")).tenants()).isEqualTo(2);
        assertThatThrownBy(() -> new Tokens(tokens, Set.of("third")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("no token for one of [third]");
    }
}
