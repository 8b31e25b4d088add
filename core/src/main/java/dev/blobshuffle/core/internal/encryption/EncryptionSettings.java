package dev.blobshuffle.core.internal.encryption;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings of the keys that encrypt blobs. */
public final class EncryptionSettings implements SettingGroup {
    /** The URI of the encryption keys. */
    public static final Setting<Optional<String>> KEYS = Setting.text(
            "encryption.keys",
            "none",
            "URI of the keys that encrypt blobs. `file:///etc/blobshuffle/keys`, for example, names a "
                    + "file that only its owner can read, with a line `<id> <32 bytes in Base64>` per key. "
                    + "`aws-kms:` names a file of wrapped keys and requires the artifact `blobshuffle-aws-kms`. "
                    + "Requires `encryption.key.id`.");

    /** The key to write with. */
    public static final Setting<Optional<String>> KEY_ID = Setting.text(
            "encryption.key.id",
            "not set",
            "Id of the key that encrypts new blobs, or `none` to read encrypted blobs and write plain "
                    + "ones. Requires `encryption.keys`.");

    /** The time for which a reader waits for a key. */
    public static final Setting<Duration> KEY_TIMEOUT = Setting.millis(
            "encryption.key.timeout.ms",
            1,
            120_000,
            "How long a reader asks again for a key that it cannot get, before it fails. The records "
                    + "that need the key wait; other partitions continue.");

    @Override
    public String title() {
        return "Encryption";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(KEYS, KEY_ID, KEY_TIMEOUT);
    }
}
