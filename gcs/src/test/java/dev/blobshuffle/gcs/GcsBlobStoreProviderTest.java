package dev.blobshuffle.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.auth.oauth2.GoogleCredentials;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.time.SystemTime;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GcsBlobStoreProviderTest {
    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | no JSON input found",
                "secret | line 1",
                "{\"type\": \"new\"} | 'type' value 'new' not recognized",
                "{\"type\": \"service_account\"} | expecting  'client_id'",
                "{\"type\": \"service_account\", \"client_id\": \"x\", \"client_email\": \"a@b\", \"private_key_id\": \"1\","
                        + " \"private_key\": \"secret\"} | Invalid PKCS#8 data"
            })
    void aKeyFileThatCannotBeReadSaysWhy(String file, String reason) {
        assertThatThrownBy(() -> GcsBlobStoreProvider.credentials(
                        "books",
                        () -> GoogleCredentials.fromStream(
                                new ByteArrayInputStream(file.getBytes(StandardCharsets.UTF_8)))))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageStartingWith("Cannot open store gs://books: there are no credentials, since ")
                .hasMessageContaining(reason)
                .hasMessageContaining("GOOGLE_APPLICATION_CREDENTIALS")
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("secret"));
    }

    @ParameterizedTest
    @CsvSource({
        "gs:///prefix, names no bucket",
        "gs://bucket/a/../b, '..'",
        "gs://bucket?endpiont=http://localhost:1, The nearest is 'endpoint'",
        "gs://bucket?endpoint=localhost:1, parameter endpoint",
        "gs://bucket?endpoint=http://user:secret@localhost:1, parameter endpoint",
        "gs://bucket?checksum=md5&endpoint=http://localhost:1, 'md5'",
        "gs://bucket?credentials=some&endpoint=http://localhost:1, 'some'",
        "gs://bucket?credentials=default&endpoint=http://localhost:1, plain HTTP"
    })
    void aWrongUriSaysWhatIsWrong(String uri, String part) {
        assertThatThrownBy(() -> BlobStores.open(uri, time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(part)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("secret"));
    }
}
