package dev.blobshuffle.postgresql.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PostgresqlUriTest {
    private static final String SECRET = "hunter2";

    @Test
    void readsEveryPart() {
        PostgresqlUri uri = PostgresqlUri.parse("postgresql://a.example,b.example:6432,[::1]:7000/app?schema=tenant_1"
                + "&credentials=/run/secrets/db%20one&sslmode=verify-ca&sslrootcert=/etc/ca.pem&sslcert=/etc/me.pem"
                + "&sslkey=/etc/me.der&pooler=transaction&connections=20");

        assertThat(uri.servers())
                .containsExactly(new Server("a.example", 5432), new Server("b.example", 6432), new Server("::1", 7000));
        assertThat(uri.database()).isEqualTo("app");
        assertThat(uri.schema()).isEqualTo("tenant_1");
        assertThat(uri.credentials()).contains(Path.of("/run/secrets/db one"));
        assertThat(uri.sslMode()).isEqualTo(SslMode.VERIFY_CA);
        assertThat(uri.certificates().key()).contains(Path.of("/etc/me.der"));
        assertThat(uri.pooler()).isEqualTo(Pooler.TRANSACTION);
        assertThat(uri.connections()).isEqualTo(20);
        assertThat(uri).hasToString("postgresql://a.example:5432,b.example:6432,[::1]:7000/app?schema=tenant_1");
    }

    @ParameterizedTest
    @CsvSource({
        "db.example.com, VERIFY_FULL",
        "localhost, PREFER",
        "127.0.0.1, PREFER",
        "127.8.9.1:99, PREFER",
        "[::1]:99, PREFER",
        "10.0.0.1, VERIFY_FULL",
        "127.0.0.1.example.com, VERIFY_FULL",
        "localhost.example.com, VERIFY_FULL"
    })
    void verifiesTheServerOutsideLoopback(String host, SslMode expected) {
        assertThat(PostgresqlUri.parse("postgresql://" + host + "/app").sslMode())
                .isEqualTo(expected);
    }

    @Test
    void refusesPlainConnectionsOutsideLoopback() {
        assertThatThrownBy(() -> PostgresqlUri.parse("postgresql://localhost,db.example.com/app?sslmode=disable"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll("sslmode", "verify-full", "prefer");
        assertThat(PostgresqlUri.parse("postgresql://127.0.0.1/app?sslmode=disable")
                        .sslMode())
                .isEqualTo(SslMode.DISABLE);
    }

    @Test
    void verifiesIfOneOfSeveralHostsIsOutsideLoopback() {
        assertThat(PostgresqlUri.parse("postgresql://localhost,db.example.com/app")
                        .sslMode())
                .isEqualTo(SslMode.VERIFY_FULL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://me:hunter2@db/app",
                "postgresql://me@db/app",
                "postgresql://me:hunter2?@db/app",
                "postgresql://me:hunter2/@db/app",
                "postgresql://me:x?hunter2=1@db/app",
                "postgresql://db/app?password=hunter2",
                "postgresql://db/app?user=hunter2",
                "postgresql://db/app?PASSWORD=hunter2",
                "POSTGRESQL://me:hunter2@db/app"
            })
    void refusesCredentialsAndRepeatsNone(String text) {
        assertThatThrownBy(() -> PostgresqlUri.parse(text))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("credentials=FILE")
                .message()
                .doesNotContain(SECRET);
    }

    @Test
    void namesTheNearestParameter() {
        assertThatThrownBy(() -> PostgresqlUri.parse("postgresql://db/app?conections=3"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("'conections'. The nearest is 'connections'.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "postgres://db/app",
                "jdbc:postgresql://db/app",
                "postgresql://",
                "postgresql:///app",
                "postgresql://db",
                "postgresql://db/",
                "postgresql://db/a/b",
                "postgresql://db,/app",
                "postgresql://db,db:5432/app",
                "postgresql://db:/app",
                "postgresql://db:0/app",
                "postgresql://db:65536/app",
                "postgresql://db:99999999999/app",
                "postgresql://[::1/app",
                "postgresql://]/app",
                "postgresql://::1/app",
                "postgresql://d b/app",
                "postgresql://db/app#x",
                "postgresql://db/app?schema",
                "postgresql://db/app?=x",
                "postgresql://db/app?schema=a&schema=b",
                "postgresql://db/app?schema=A",
                "postgresql://db/app?schema=pg_catalog",
                "postgresql://db/app?schema=a\"b",
                "postgresql://db/app?schema=%zz",
                "postgresql://db/app?sslmode=allow",
                "postgresql://db/app?pooler=session",
                "postgresql://db/app?connections=1",
                "postgresql://db/app?connections=-3",
                "postgresql://db/app?connections=99999999999",
                "postgresql://db/app?credentials=a%00b",
                "postgresql://db/app?sslcert=/a.pem&sslkey=/a.der",
                "postgresql://db/app?sslkey=/a.der"
            })
    void refusesWhatIsMalformed(String text) {
        assertThatThrownBy(() -> PostgresqlUri.parse(text))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.log");
    }

    @Test
    void documentsWhatItReads() {
        assertThat(PostgresqlUri.PARAMETERS.stream()
                        .map(parameter -> parameter.name())
                        .toList())
                .isEqualTo(List.of(
                        "schema",
                        "credentials",
                        "sslmode",
                        "sslrootcert",
                        "sslcert",
                        "sslkey",
                        "pooler",
                        "connections"));
    }
}
