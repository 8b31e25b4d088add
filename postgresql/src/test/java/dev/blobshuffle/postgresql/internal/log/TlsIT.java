package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.LogContract;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with TLS: the client's checks, and the messages of refusals. */
final class TlsIT extends LogContract {
    private static final DatabaseTimeouts SHORT = new DatabaseTimeouts(
            Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(4));

    @TempDir
    private static Path directory;

    private static PostgresServer server;
    private static TestAuthority authority;
    private static Path trusted;
    private static Path stranger;

    private TestLog tenant;

    @BeforeAll
    static void startServer() throws IOException {
        authority = new TestAuthority(directory.resolve("ours"));
        authority.sign("server", "-dname", "CN=server", "-ext", "san=dns:localhost");
        authority.sign(
                "expired", "-dname", "CN=server", "-ext", "san=dns:localhost", "-startdate", "-10d", "-validity", "5");
        authority.sign("client", "-dname", "CN=client");
        trusted = authority.root();
        stranger = new TestAuthority(directory.resolve("another")).root();
        server = PostgresServer.builder().start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected LogUnderTest create() {
        tenant = new TestLog(server);
        tenant.file("root.crt", read(trusted));
        present("server");
        server.change("ssl_ca_file", "root.crt");
        server.change("ssl", "on");
        return tenant;
    }

    @Test
    void aServerThatTheAuthorityVouchesForServes() {
        CommitLog log = open("localhost", "&sslmode=verify-full&sslrootcert=" + trusted);
        LogTopic topic = topic(log, "orders", 1);
        commit(join(log.open("a")), 0, batch(topic, "one"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one");
        assertThat(tenant.asks("select bool_and(s.ssl) from pg_stat_ssl s join pg_stat_activity a using (pid)"
                        + " where a.usename = '" + tenant.name() + "'"))
                .isTrue();
        log.close();
    }

    @Test
    void anotherAuthorityIsRefused() {
        refused("localhost", "&sslmode=verify-full&sslrootcert=" + stranger, "certificate", "sslrootcert");
        refused("localhost", "&sslmode=verify-ca&sslrootcert=" + stranger, "certificate", "sslrootcert");
        refused("localhost", "&sslmode=verify-full", "certificate", "sslrootcert");
    }

    @Test
    void aCertificateOfAnotherHostIsRefused() {
        refused("127.0.0.1", "&sslmode=verify-full&sslrootcert=" + trusted, "host", "certificate");
        open("127.0.0.1", "&sslmode=verify-ca&sslrootcert=" + trusted).close();
    }

    @Test
    void anExpiredCertificateIsRefused() {
        present("expired");
        refused("localhost", "&sslmode=verify-full&sslrootcert=" + trusted, "certificate");
    }

    @Test
    void aServerWithoutTlsIsRefused() {
        server.change("ssl", "off");
        refused("localhost", "&sslmode=verify-full&sslrootcert=" + trusted, "TLS");
        open("localhost", "").close();
    }

    @Test
    void aFileThatIsMissingIsNamed() {
        Path missing = directory.resolve("missing.pem");
        refused("localhost", "&sslmode=verify-full&sslrootcert=" + missing, "missing.pem");
    }

    @Test
    void aClientShowsItsCertificate() throws IOException {
        Path certificate = Files.writeString(directory.resolve("client.pem"), authority.certificate("client"));
        Path key = Files.write(directory.resolve("client.der"), authority.keyBytes("client"));
        tenant.file("pg_hba.conf", """
                host all %s 127.0.0.1/32 scram-sha-256
                hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca
                """.formatted(PostgresServer.USER));
        tenant.execute("select pg_reload_conf()");
        try {
            String tls = "&sslmode=verify-full&sslrootcert=" + trusted;
            refused("localhost", tls, "sslcert");
            refused("localhost", "&sslmode=disable", "sslmode");
            open("localhost", tls + "&sslcert=" + certificate + "&sslkey=" + key)
                    .close();
        } finally {
            tenant.file("pg_hba.conf", "host all all 127.0.0.1/32 scram-sha-256\n");
            tenant.execute("select pg_reload_conf()");
        }
    }

    private void present(String alias) {
        try {
            tenant.file("server.crt", authority.certificate(alias));
            tenant.file("server.key", authority.key(alias));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        tenant.execute("select pg_reload_conf()");
    }

    private void refused(String host, String parameters, String... named) {
        assertThatThrownBy(() -> open(host, parameters).close())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll(named);
    }

    private CommitLog open(String host, String parameters) {
        String uri = tenant.uri(server.port())
                .replace("127.0.0.1", host)
                .replace("&sslmode=disable", "")
                .concat(parameters);
        return tenant.connect(uri, SHORT);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
