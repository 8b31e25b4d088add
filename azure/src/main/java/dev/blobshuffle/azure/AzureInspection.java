package dev.blobshuffle.azure;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpResponse;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.BlobRetentionPolicy;
import com.azure.storage.blob.models.StorageAccountInfo;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreInspection;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Inspects the settings of a storage account that affect blobs. Owned by one thread. */
final class AzureInspection {
    private static final HttpHeaderName VERSION_ID = HttpHeaderName.fromString("x-ms-version-id");

    private final BlobContainerClient client;
    private final AzureFailures failures;
    private final List<StoreFinding> findings = new ArrayList<>();
    private Optional<Duration> clockAhead = Optional.empty();

    AzureInspection(BlobContainerClient client, AzureFailures failures) {
        this.client = client;
        this.failures = failures;
    }

    /**
     * Evaluates an answer about the store's marker.
     *
     * @param ourMillis the wall clock in the middle of the request
     */
    void readMarker(HttpResponse response, long ourMillis) {
        clockAhead = date(response).map(theirs -> ahead(theirs, ourMillis));
        findings.add(
                response.getHeaderValue(VERSION_ID) == null
                        ? StoreFinding.ok("versioning", "deleted blobs are gone")
                        : StoreFinding.keepsVersions());
    }

    StoreInspection finish() {
        ask(
                "soft delete",
                () -> softDelete(client.getServiceClient().getProperties().getDeleteRetentionPolicy()));
        ask("account", () -> account(client.getServiceClient().getAccountInfo()));
        findings.add(
                StoreFinding.unknown("lifecycle", "the blob service does not know the account's management policy"));
        return new StoreInspection(clockAhead, findings);
    }

    private void ask(String subject, Supplier<StoreFinding> question) {
        try {
            findings.add(question.get());
        } catch (RuntimeException e) {
            findings.add(StoreFinding.unknown(
                    subject, String.valueOf(failures.of("inspect", e).getMessage())));
        }
    }

    private static StoreFinding softDelete(BlobRetentionPolicy policy) {
        return policy == null || !policy.isEnabled() || policy.getDays() == null
                ? StoreFinding.ok("soft delete", "deleted blobs are gone")
                : StoreFinding.keepsDeleted(Duration.ofDays(policy.getDays()));
    }

    private static StoreFinding account(StorageAccountInfo account) {
        return account.isHierarchicalNamespaceEnabled()
                ? StoreFinding.warning(
                        "account",
                        "the account has a hierarchical namespace (" + account.getSkuName()
                                + "): writes are charged by each 4 MiB",
                        "Use an account without one for the shuffle.")
                : StoreFinding.ok("account", "its kind is " + account.getSkuName());
    }

    private static Optional<Instant> date(HttpResponse response) {
        try {
            return Optional.ofNullable(response.getHeaderValue(HttpHeaderName.DATE))
                    .map(text -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * The difference between the clocks. The date has whole seconds, so it is half a second old on
     * average. A difference below a second means nothing.
     */
    private static Duration ahead(Instant theirs, long ourMillis) {
        Duration ahead = Duration.between(Instant.ofEpochMilli(ourMillis), theirs.plusMillis(500));
        return ahead.abs().compareTo(Duration.ofSeconds(1)) <= 0 ? Duration.ZERO : ahead;
    }
}
