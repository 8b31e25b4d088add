package dev.blobshuffle.azure;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.http.rest.PagedIterable;
import com.azure.core.http.rest.PagedResponse;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobItemProperties;
import com.azure.storage.blob.models.ListBlobsOptions;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.Bucket;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A container of Azure Blob Storage. This class builds the requests that transfer bytes, and sends
 * them through the client's pipeline, with its credentials. The client's own methods wait for
 * asynchronous ones and read into several arrays. One Put Blob creates each blob, never staged
 * blocks. Thread-safe.
 */
final class AzureBucket implements Bucket {
    private static final HttpHeaderName VERSION = HttpHeaderName.fromString("x-ms-version");
    private static final HttpHeaderName BLOB_TYPE = HttpHeaderName.fromString("x-ms-blob-type");
    private static final HttpHeaderName RANGE = HttpHeaderName.fromString("x-ms-range");
    private static final HttpHeaderName ERROR_CODE = HttpHeaderName.fromString("x-ms-error-code");

    /**
     * The number of keys per delete. Batch deletes would need another library. Single deletes are
     * free, and eight are in flight at once.
     */
    private static final int KEYS_PER_DELETE = 1;

    private static final int KEYS_PER_PAGE = 5000;

    private final BlobContainerClient client;
    private final AzureChecksum checksum;
    private final Body body;
    private final Time time;
    private final Runnable whenClosed;
    private final AzureFailures failures;

    AzureBucket(BlobContainerClient client, AzureChecksum checksum, Body body, Time time, Runnable whenClosed) {
        this.client = client;
        this.time = time;
        this.checksum = checksum;
        this.body = body;
        this.whenClosed = whenClosed;
        failures = new AzureFailures(location(), client.getBlobContainerName());
    }

    @Override
    public void put(String key, BlobContent content) {
        HttpHeaders headers = putHeaders("application/octet-stream");
        checksum.add(headers, content);
        String attempt = "write " + key + " to";
        try (HttpResponse response = send(attempt, HttpMethod.PUT, key, headers, body.of(content), Context.NONE)) {
            if (response.getStatusCode() != 201) {
                throw failures.of(attempt, response.getStatusCode(), code(response));
            }
        }
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        return putIf(key, HttpHeaderName.IF_NONE_MATCH, "*", bytes);
    }

    @Override
    public boolean putIfVersion(String key, String version, byte[] bytes) {
        return putIf(key, HttpHeaderName.IF_MATCH, version, bytes);
    }

    private boolean putIf(String key, HttpHeaderName condition, String value, byte[] bytes) {
        HttpHeaders headers = putHeaders("text/plain; charset=utf-8").set(condition, value);
        String attempt = "write " + key + " to";
        try (HttpResponse response =
                send(attempt, HttpMethod.PUT, key, headers, BinaryData.fromBytes(bytes), Context.NONE)) {
            int status = response.getStatusCode();
            if (status == 201) {
                return true;
            }
            if (status == 412 || (status == 409 && code(response).equals("BlobAlreadyExists"))) {
                return false;
            }
            throw failures.of(attempt, status, code(response));
        }
    }

    @Override
    public Optional<Register> read(String key, int most) {
        HttpHeaders headers = new HttpHeaders();
        String attempt = "read " + key + " from";
        try (HttpResponse response =
                send(attempt, HttpMethod.GET, key, headers, null, new Context(AzureHttpClient.STREAMED, true))) {
            int status = response.getStatusCode();
            String version = response.getHeaderValue(HttpHeaderName.ETAG);
            if (status == 200 && version != null) {
                byte[] bytes = body(response).readNBytes(most);
                return Optional.of(
                        new Register(version, new String(bytes, StandardCharsets.UTF_8), modified(response, key)));
            }
            if (status == 404) {
                return Optional.empty();
            }
            throw failures.of(attempt, status, code(response));
        } catch (IOException e) {
            throw failures.of(attempt, e);
        }
    }

    private HttpHeaders putHeaders(String contentType) {
        return new HttpHeaders().set(BLOB_TYPE, "BlockBlob").set(HttpHeaderName.CONTENT_TYPE, contentType);
    }

    @Override
    public Optional<ByteBuffer> get(String key, long offset, int length) {
        HttpHeaders headers = new HttpHeaders().set(RANGE, "bytes=" + offset + "-" + (offset + length - 1));
        String attempt = "read " + key + " from";
        try (HttpResponse response =
                send(attempt, HttpMethod.GET, key, headers, null, new Context(AzureHttpClient.STREAMED, true))) {
            int status = response.getStatusCode();
            if (status == 200 || status == 206) {
                return Optional.of(bytes(response, offset, length));
            }
            if (status == 404) {
                return Optional.empty();
            }
            if (status == 416) {
                return Optional.of(ByteBuffer.allocate(0));
            }
            throw failures.of(attempt, status, code(response));
        } catch (IOException e) {
            throw failures.of(attempt, e);
        }
    }

    /**
     * Reads the body of a partial answer. A service that ignores ranges would answer with 200 and
     * the whole object.
     */
    private ByteBuffer bytes(HttpResponse response, long offset, int length) throws IOException {
        if (response.getStatusCode() == 200 && offset > 0) {
            throw new IOException("the service ignores the header x-ms-range");
        }
        String announced = response.getHeaderValue(HttpHeaderName.CONTENT_LENGTH);
        int expected = announced == null ? length : (int) Math.min(length, Long.parseLong(announced));
        byte[] bytes = new byte[expected];
        int read = body(response).readNBytes(bytes, 0, expected);
        return ByteBuffer.wrap(bytes, 0, read);
    }

    /** The body as a stream, through a method that every supported version of the client has. */
    private static InputStream body(HttpResponse response) {
        return response.getBodyAsBinaryData().toStream();
    }

    @Override
    public OptionalLong length(String key) {
        String attempt = "look for " + key + " in";
        try (HttpResponse response = send(attempt, HttpMethod.HEAD, key, new HttpHeaders(), null, Context.NONE)) {
            String length = response.getHeaderValue(HttpHeaderName.CONTENT_LENGTH);
            if (response.getStatusCode() == 200 && length != null) {
                return OptionalLong.of(Long.parseLong(length));
            }
            if (response.getStatusCode() == 404) {
                return OptionalLong.empty();
            }
            throw failures.of(attempt, response.getStatusCode(), code(response));
        }
    }

    @Override
    public int keysPerDelete() {
        return KEYS_PER_DELETE;
    }

    @Override
    public void delete(List<String> keys) {
        for (String key : keys) {
            String attempt = "delete " + key + " from";
            try (HttpResponse response = send(attempt, HttpMethod.DELETE, key, new HttpHeaders(), null, Context.NONE)) {
                boolean isGone =
                        response.getStatusCode() == 404 && code(response).equals("BlobNotFound");
                if (response.getStatusCode() != 202 && !isGone) {
                    throw failures.of(attempt, response.getStatusCode(), code(response));
                }
            }
        }
    }

    private HttpResponse send(
            String attempt,
            HttpMethod method,
            String key,
            HttpHeaders headers,
            @Nullable BinaryData data,
            Context context) {
        headers.set(VERSION, client.getServiceVersion().getVersion());
        try {
            HttpRequest request =
                    new HttpRequest(method, client.getBlobClient(key).getBlobUrl()).setHeaders(headers);
            if (data == null) {
                headers.set(HttpHeaderName.CONTENT_LENGTH, "0"); // The signature covers it.
            } else {
                request.setBody(data);
            }
            return client.getHttpPipeline().sendSync(request, context);
        } catch (RuntimeException e) {
            throw failures.of(attempt, e);
        }
    }

    private static String code(HttpResponse response) {
        String code = response.getHeaderValue(ERROR_CODE);
        return code == null ? "" : code;
    }

    @Override
    public Page<Entry> objects(String start, Optional<String> from) {
        return page(client.listBlobs(options(start), null), from, this::entry);
    }

    @Override
    public Page<String> directories(String start, Optional<String> from) {
        return page(client.listBlobsByHierarchy("/", options(start), null), from, BlobItem::getName);
    }

    private static ListBlobsOptions options(String start) {
        return new ListBlobsOptions().setPrefix(start).setMaxResultsPerPage(KEYS_PER_PAGE);
    }

    private Entry entry(BlobItem item) {
        BlobItemProperties properties = item.getProperties();
        if (properties == null || properties.getLastModified() == null) {
            throw noTime(item.getName());
        }
        return new Entry(item.getName(), properties.getLastModified().toInstant());
    }

    private Instant modified(HttpResponse response, String key) {
        String modified = response.getHeaderValue(HttpHeaderName.LAST_MODIFIED);
        if (modified == null) {
            throw noTime(key);
        }
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(modified));
        } catch (DateTimeException e) {
            throw noTime(key);
        }
    }

    private StoreRefusedException noTime(String key) {
        return new StoreRefusedException("Cannot read when " + key + " of " + location()
                + " was stored: the service does not send it. Use a service that does.");
    }

    private <T> Page<T> page(PagedIterable<BlobItem> listing, Optional<String> from, Function<BlobItem, T> entry) {
        try {
            var pages = from.map(listing::iterableByPage).orElseGet(listing::iterableByPage);
            PagedResponse<BlobItem> page = pages.iterator().next();
            List<T> entries = new ArrayList<>();
            page.getValue().forEach(item -> entries.add(entry.apply(item)));
            return new Page<>(
                    entries, Optional.ofNullable(page.getContinuationToken()).filter(token -> !token.isEmpty()));
        } catch (StoreRefusedException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failures.of("list", e);
        }
    }

    @Override
    public StoreInspection inspect(KeyPrefix prefix) {
        AzureInspection inspection = new AzureInspection(client, failures);
        String attempt = "look for " + prefix.marker() + " in";
        long before = time.wallMillis();
        try (HttpResponse response =
                send(attempt, HttpMethod.HEAD, prefix.marker(), new HttpHeaders(), null, Context.NONE)) {
            inspection.readMarker(response, (before + time.wallMillis()) / 2);
        }
        return inspection.finish();
    }

    @Override
    public String location() {
        return "az://" + client.getAccountName() + "/" + client.getBlobContainerName();
    }

    @Override
    public void close() {
        whenClosed.run();
    }
}
