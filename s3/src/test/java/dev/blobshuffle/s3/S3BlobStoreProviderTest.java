package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.StoreUri;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class S3BlobStoreProviderTest {
    @Test
    void aBucketIsEnough() {
        assertThat(settings("s3://my-bucket"))
                .isEqualTo(new S3Settings(
                        "my-bucket",
                        new KeyPrefix(""),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        RequestChecksum.CRC32C,
                        Optional.empty(),
                        64));
    }

    @Test
    void everyParameterIsTaken() {
        S3Settings settings =
                settings("s3://my-bucket/team/shuffle?region=eu-central-1&endpoint=https%3A%2F%2Fhost%3A9000"
                        + "&path-style=true&checksum=md5&sse=aws:kms&sse-kms-key=alias/blobs&connections=12");
        assertThat(settings)
                .isEqualTo(new S3Settings(
                        "my-bucket",
                        new KeyPrefix("team/shuffle/"),
                        Optional.of("eu-central-1"),
                        Optional.of(URI.create("https://host:9000")),
                        true,
                        RequestChecksum.MD5,
                        Optional.of(new ServerSideEncryption("aws:kms", Optional.of("alias/blobs"))),
                        12));
        assertThat(settings.location()).isEqualTo("s3://my-bucket/team/shuffle/?endpoint=https://host:9000");
    }

    @Test
    void anEndpointNeedsNoEscapesAndAKeyAloneMeansKms() {
        S3Settings settings =
                settings("s3://my-bucket?endpoint=http://host:9000&sse-kms-key=arn:aws:kms:eu-west-1:1:key/2");
        assertThat(settings.endpoint()).contains(URI.create("http://host:9000"));
        assertThat(settings.encryption().orElseThrow().algorithm()).isEqualTo("aws:kms");
    }

    @ParameterizedTest
    @CsvSource({
        "http://minio.example:9000, true",
        "http://127.0.0.1.example, true",
        "http://localhost:9000, false",
        "http://127.0.0.1:9000, false",
        "http://[::1]:9000, false",
        "https://minio.example:9000, false"
    })
    void plainHttpToAnotherMachineIsExposed(String endpoint, boolean isExposed) {
        assertThat(settings("s3://my-bucket?endpoint=" + endpoint).isExposed()).isEqualTo(isExposed);
        assertThat(settings("s3://my-bucket").isExposed()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3:///prefix | not the name of a bucket",
                "s3://b | not the name of a bucket",
                "s3://bucket?regoin=eu-west-1 | no parameter 'regoin'. The nearest is 'region'.",
                "s3://bucket?pathstyle=true | The nearest is 'path-style'.",
                "s3://bucket?path-style=yes | Give true or false",
                "s3://bucket?checksum=sha256 | Give crc32c, md5 or none",
                "s3://bucket?sse=kms | Give AES256, aws:kms",
                "s3://bucket?sse=AES256&sse-kms-key=k | does not go with sse=AES256",
                "s3://bucket?connections=many | Give a number",
                "s3://bucket?connections=7 | from 8 to 1024",
                "s3://bucket?region=eu_west | not the name of a region",
                "s3://bucket?endpoint=host:9000 | not of the form https://host:port",
                "s3://bucket?endpoint=http://user:secret@host | not of the form https://host:port",
                "s3://bucket?endpoint=http://host/?a=secret | not of the form https://host:port",
                "s3://bucket?endpoint=http://a%20b | not a URI",
                "s3://bucket/a/../b | has the part '..'"
            })
    void aUriThatCannotWorkSaysWhy(String uri, String reason) {
        assertThatThrownBy(() -> settings(uri))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("secret");
    }

    private static S3Settings settings(String uri) {
        return S3BlobStoreProvider.settings(StoreUri.parse(uri));
    }
}
