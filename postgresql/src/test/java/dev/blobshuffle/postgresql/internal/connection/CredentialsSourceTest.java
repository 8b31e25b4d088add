package dev.blobshuffle.postgresql.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CredentialsSourceTest {
    private static final String SECRET = "hunter2";

    @TempDir
    private Path directory;

    @Test
    void readsUserAndPasswordAgainForEachConnection() throws IOException {
        Path file = written("db", "# of the log\nuser=me \npassword= hunter2=x \n\n", "rw-------");
        CredentialsSource source = CredentialsSource.of(with(file));

        assertThat(source.read()).isEqualTo(new Credentials("me", Optional.of(" hunter2=x ")));

        written("db", "user=me\npassword=new\n", "r--------");
        assertThat(source.read().password()).contains("new");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw-rw-rw-", "rw-----w-"})
    void refusesAFileThatOthersCanRead(String permissions) throws IOException {
        Path file = written("db", "user=me\npassword=hunter2\n", permissions);

        assertThatThrownBy(() -> CredentialsSource.of(with(file)).read())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("chmod 600");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hunter2", "user=me\nhunter2", "password=hunter2", "user=me\nuser=hunter2", "user=\n", ""})
    void refusesAMalformedFileWithoutRepeatingIt(String text) throws IOException {
        Path file = written("db", text, "rw-------");

        assertThatThrownBy(() -> CredentialsSource.of(with(file)).read())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("user=…")
                .message()
                .doesNotContain(SECRET);
    }

    @Test
    void refusesAFileThatIsMissingOrNoText() throws IOException {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> CredentialsSource.of(with(missing)).read())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("missing");

        Path binary = directory.resolve("binary");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> CredentialsSource.of(with(binary)).read())
                .isInstanceOf(InvalidSettingsException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "db.example.com:5432:app:me:hunter2, hunter2",
        "*:*:*:*:hunter2, hunter2",
        "other:5432:app:me:x, ",
        "db.example.com:5433:app:me:x, ",
        "db.example.com:5432:other:me:x, ",
        "db.example.com:5432:app:other:x, ",
        "b.example.com:6432:app:me:hunter2, hunter2",
        "db.example.com:6432:app:me:x, ",
        "'*:*:*:*:a\\:b\\\\c', 'a:b\\c'",
        "#*:*:*:*:x, ",
        "*:*:*:*, "
    })
    void findsThePasswordAsLibpqDoes(String line, String expected) throws IOException {
        Path file = written("pass", "# passwords\n" + line + "\n", "rw-------");
        PostgresqlUri uri = PostgresqlUri.parse("postgresql://db.example.com,b.example.com:6432/app");
        CredentialsSource source =
                CredentialsSource.of(uri, Map.of("PGPASSFILE", file.toString(), "PGUSER", "me"), Map.of());

        assertThat(source.read()).isEqualTo(new Credentials("me", Optional.ofNullable(expected)));
    }

    @Test
    void takesThePasswordFileOfTheHomeAndTheUserOfTheProcess() throws IOException {
        written(".pgpass", "*:*:*:root:hunter2\n", "rw-------");
        PostgresqlUri uri = PostgresqlUri.parse("postgresql://db/app");
        Map<String, String> properties = Map.of("user.home", directory.toString(), "user.name", "root");

        assertThat(CredentialsSource.of(uri, Map.of(), properties).read().password())
                .contains(SECRET);
        assertThat(CredentialsSource.of(uri, Map.of("PGUSER", "me"), properties).read())
                .isEqualTo(new Credentials("me", Optional.empty()));
        Map<String, String> elsewhere = Map.of("user.home", "/nowhere", "user.name", "root");
        assertThat(CredentialsSource.of(uri, Map.of(), elsewhere).read().password())
                .isEmpty();
    }

    @Test
    void showsNoPassword() {
        assertThat(new Credentials("me", Optional.of(SECRET)).toString()).doesNotContain(SECRET);
        PostgresqlUri uri = PostgresqlUri.parse("postgresql://db/app");
        assertThat(CredentialsSource.of(uri, Map.of("PGPASSWORD", SECRET), Map.of())
                        .toString())
                .doesNotContain(SECRET);
    }

    private PostgresqlUri with(Path file) {
        return PostgresqlUri.parse("postgresql://db/app?credentials=" + file);
    }

    private Path written(String name, String text, String permissions) throws IOException {
        Path file = directory.resolve(name);
        Files.deleteIfExists(file);
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
