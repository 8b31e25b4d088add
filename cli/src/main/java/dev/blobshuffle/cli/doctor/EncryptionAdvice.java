package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.Map;
import java.util.Optional;

/**
 * Opens the encryption keys in an application's settings, as each of its instances does. Stateless.
 */
final class EncryptionAdvice {
    private static final String SUBJECT = "encryption";

    private EncryptionAdvice() {}

    /**
     * Reports whether this application encrypts its blobs, and whether the key is available.
     * Blocks.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a value is malformed, or
     *     a key below {@code blobshuffle.} is unknown
     */
    static Finding of(Map<String, String> configuration) {
        Settings settings = KafkaSettings.parse(configuration);
        Optional<String> source = settings.value(EncryptionSettings.KEYS);
        Keyring keys;
        try {
            keys = Keyring.open(source, settings.value(EncryptionSettings.KEY_ID));
        } catch (BlobShuffleException e) {
            return Finding.failed(Finding.SETTINGS, SUBJECT, e);
        }
        if (source.isEmpty()) {
            return Finding.ok(
                    Finding.SETTINGS,
                    SUBJECT,
                    "blobs are not encrypted by the application; the store may encrypt them");
        }
        return Finding.of(
                Finding.SETTINGS,
                keys.writing()
                        .map(id -> StoreFinding.ok(
                                SUBJECT, "key '" + id + "' is here, and new blobs are encrypted with it"))
                        .orElseGet(() -> StoreFinding.hint(
                                SUBJECT,
                                "encrypted blobs can be read, and new blobs are not encrypted",
                                "Set " + EncryptionSettings.KEY_ID
                                        + " to a key's id when every instance has the keys.")));
    }
}
