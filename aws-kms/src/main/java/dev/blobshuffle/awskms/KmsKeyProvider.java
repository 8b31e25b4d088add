package dev.blobshuffle.awskms;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.encryption.KeyEntries;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.kms.KmsClient;
import software.amazon.awssdk.services.kms.model.KmsException;

/**
 * Provides keys that AWS KMS decrypts on first use. The encryption context binds a wrapped key to
 * its id, so one key cannot take the id of another. The caller keeps the key, so KMS sees one
 * request per key and process. Thread-safe.
 *
 * <p>Source: AWS KMS API reference, operation Decrypt.
 */
final class KmsKeyProvider implements KeyProvider {
    /** Name of the id in the encryption context. It is part of the format of wrapped keys. */
    static final String CONTEXT = "blobshuffle-key";

    private static final int CLIENT_ERROR = 400;
    private static final int TIMED_OUT = 408;
    private static final int TOO_MANY = 429;
    private static final int SERVER_ERROR = 500;

    private final KeyEntries wrapped;
    private final Supplier<KmsClient> clients;

    /**
     * A provider that holds no connection.
     *
     * @param clients creates a client for one request
     */
    KmsKeyProvider(KeyEntries wrapped, Supplier<KmsClient> clients) {
        this.wrapped = wrapped;
        this.clients = clients;
    }

    /** @throws StoreUnavailableException recoverable: KMS did not answer, or is overloaded */
    @Override
    public Optional<byte[]> key(String id) {
        return wrapped.find(id).map(key -> decrypt(id, key));
    }

    /**
     * The keys whose lines were removed. Does not ask KMS: a lost permission is not a withdrawal.
     */
    @Override
    public Set<String> withdrawn(Set<String> ids) {
        return wrapped.withdrawn(ids);
    }

    private byte[] decrypt(String id, byte[] key) {
        try (KmsClient kms = clients.get()) {
            return kms.decrypt(request -> request.ciphertextBlob(SdkBytes.fromByteArrayUnsafe(key))
                            .encryptionContext(Map.of(CONTEXT, id)))
                    .plaintext()
                    .asByteArray();
        } catch (KmsException e) {
            if (!isRefusal(e)) {
                throw unavailable(id, code(e), e);
            }
            throw new InvalidSettingsException(
                    "Cannot decrypt encryption key '" + id + "' of " + this + ": AWS KMS refuses with "
                            + code(e) + ". Check that the role may call kms:Decrypt on the"
                            + " key that wrapped it, that this key is enabled, and that the encryption context was "
                            + CONTEXT + "=" + id + ".",
                    e);
        } catch (SdkClientException e) {
            throw unavailable(id, String.valueOf(e.getMessage()), e);
        }
    }

    private static boolean isRefusal(KmsException e) {
        int status = e.statusCode();
        return status >= CLIENT_ERROR
                && status < SERVER_ERROR
                && status != TIMED_OUT
                && status != TOO_MANY
                && !e.isThrottlingException();
    }

    /** The error's name. An answer from a proxy in front of KMS may have none. */
    private static String code(KmsException e) {
        AwsErrorDetails details = e.awsErrorDetails();
        return details == null || details.errorCode() == null ? "status " + e.statusCode() : details.errorCode();
    }

    private StoreUnavailableException unavailable(String id, String reason, Exception cause) {
        return new StoreUnavailableException(
                "Cannot decrypt encryption key '" + id + "' of " + this + ": AWS KMS does not answer, " + reason
                        + ". Check network and credentials, and try again.",
                cause);
    }

    @Override
    public String toString() {
        return wrapped + ", unwrapped by AWS KMS";
    }
}
