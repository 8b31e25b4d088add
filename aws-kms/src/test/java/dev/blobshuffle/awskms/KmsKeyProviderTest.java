package dev.blobshuffle.awskms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the provider against a stub of KMS. It has not been run against AWS. */
class KmsKeyProviderTest {
    private static final byte[] KEY =
            "0123456789abcdef0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    @TempDir
    private Path directory;

    private KmsStub kms;

    @BeforeEach
    void start() throws IOException {
        kms = new KmsStub();
        System.setProperty("aws.accessKeyId", "blobshuffle");
        System.setProperty("aws.secretAccessKey", "blobshuffle-secret");
    }

    @AfterEach
    void stop() {
        kms.close();
    }

    @Test
    void theServiceLoaderFindsItAndKmsUnwrapsEachKeyOnce() throws IOException {
        Keyring keys = Keyring.open(
                Optional.of(source("2026-11 " + KmsStub.wrap("2026-11", KEY)).toString()), Optional.of("2026-11"));
        keys.require("2026-11");

        assertThat(kms.asked).containsExactly("2026-11");
        assertThat(provider("one " + KmsStub.wrap("one", KEY)).key("one")).contains(KEY);
        assertThat(provider("one " + KmsStub.wrap("one", KEY)).key("two")).isEmpty();
    }

    @Test
    void aKeyUnderAnotherIdIsRefused() throws IOException {
        KeyProvider keys = provider("one " + KmsStub.wrap("two", KEY));
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> keys.key("one"))
                .withMessageContaining("InvalidCiphertextException")
                .withMessageContaining("blobshuffle-key=one");
    }

    @Test
    void deniedAccessNamesTheRight() throws IOException {
        KeyProvider keys = provider("one " + KmsStub.wrap("one", KEY));
        kms.refusal = "400 AccessDeniedException";
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> keys.key("one"))
                .withMessageContaining("AccessDeniedException")
                .withMessageContaining("kms:Decrypt")
                .withMessageNotContaining(Base64.getEncoder().encodeToString(KEY));
    }

    @Test
    void keyIsUsedOnceAccessIsGranted() throws IOException {
        Keyring keys = Keyring.open(
                Optional.of(source("one " + KmsStub.wrap("one", KEY)).toString()), Optional.of(Keyring.WRITE_PLAIN));
        for (String refusal : List.of("400 AccessDeniedException", "400 ThrottlingException", "403 Forbidden")) {
            kms.refusal = refusal;
            assertThatThrownBy(() -> keys.require("one")).hasMessageContaining("'one'");
            assertThat(keys.isHere("one")).isFalse();
        }
        kms.refusal = "";
        keys.require("one");
        assertThat(keys.isHere("one")).isTrue();
    }

    @Test
    void lineThatIsMendedIsUsed() throws IOException {
        KeyProvider keys = provider("one " + KmsStub.wrap("two", KEY));
        assertThatExceptionOfType(InvalidSettingsException.class).isThrownBy(() -> keys.key("one"));
        source("one " + KmsStub.wrap("one", KEY));
        assertThat(keys.key("one")).contains(KEY);
    }

    @Test
    void lineThatIsRemovedWithdrawsItsKey() throws IOException {
        KeyProvider keys = provider("one " + KmsStub.wrap("one", KEY) + "\ntwo " + KmsStub.wrap("two", KEY));
        source("two " + KmsStub.wrap("two", KEY));
        assertThat(keys.withdrawn(Set.of("one", "two"))).isEmpty();
        assertThat(keys.withdrawn(Set.of("one", "two"))).containsExactly("one");
        assertThat(kms.asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "400 ThrottlingException",
                "429 TooManyRequests",
                "500 KMSInternalException",
                "502 ",
                "503 DependencyTimeoutException"
            })
    void overloadAndOutagesMayBeTriedAgain(String refusal) throws IOException {
        KeyProvider keys = provider("one " + KmsStub.wrap("one", KEY));
        kms.refusal = refusal;
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> keys.key("one"))
                .withMessageContaining("try again");
        kms.refusal = "";
        assertThat(keys.key("one")).contains(KEY);
    }

    @Test
    void aServiceThatIsGoneMayComeBack() throws IOException {
        KeyProvider keys = provider("one " + KmsStub.wrap("one", KEY));
        kms.close();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> keys.key("one"))
                .withMessageContaining("does not answer");
    }

    @Test
    void aKeyOfAnotherLengthIsRefused() throws IOException {
        String source = source("one " + KmsStub.wrap("one", new byte[16])).toString();
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Keyring.open(Optional.of(source), Optional.of("one")))
                .withMessageContaining("16 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aws-kms:keys",
                "aws-kms://host/keys",
                "aws-kms:///keys?regoin=eu-central-1",
                "aws-kms:///keys?region",
                "aws-kms:///keys?region=eu-central-1&endpoint=http://kms.example",
                "aws-kms:///keys?region=eu-central-1&endpoint=https://user:secret@kms.example"
            })
    void wrongSourcesAreRefusedWithoutRepeatingThem(String source) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> new KmsKeyProviderFactory().open(URI.create(source)))
                .withMessageContaining("aws-kms:///etc/blobshuffle/wrapped-keys")
                .withMessageNotContaining("secret");
    }

    private KeyProvider provider(String line) throws IOException {
        return new KmsKeyProviderFactory().open(source(line));
    }

    private URI source(String line) throws IOException {
        Path file = Files.writeString(directory.resolve("wrapped"), line + "\n");
        return URI.create("aws-kms://" + file + "?region=eu-central-1&endpoint=" + kms.endpoint());
    }
}
