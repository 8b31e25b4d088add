package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Executes requests on buckets and objects. Thread-safe. */
final class ObjectService {
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]*)-([0-9]*)");
    private static final Pattern BUCKET_NAME = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final int MAX_BUCKETS = 1000;
    private static final int MAX_DELETE_BYTES = 8 << 20;
    private static final int MAX_DELETED_KEYS = 1000;
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);

    private final Map<String, SimulatedBucket> buckets = new ConcurrentHashMap<>();
    private final AtomicLong versions = new AtomicLong();
    private final Memory memory;
    private final Counting counting;
    private final Optional<String> region;

    ObjectService(Memory memory, Counting counting, Optional<String> region) {
        this.memory = memory;
        this.counting = counting;
        this.region = region;
    }

    SimulatedBucket createBucket(String name) throws RefusedException {
        if (!BUCKET_NAME.matcher(name).matches()) {
            throw new RefusedException(S3Error.INVALID_BUCKET_NAME);
        }
        if (buckets.size() >= MAX_BUCKETS) {
            throw new RefusedException(S3Error.STORAGE_FULL);
        }
        SimulatedBucket bucket = new SimulatedBucket(memory, new Counting(Optional.of(counting)));
        if (buckets.putIfAbsent(name, bucket) != null) {
            throw new RefusedException(S3Error.BUCKET_ALREADY_OWNED_BY_YOU);
        }
        return bucket;
    }

    Optional<SimulatedBucket> find(String name) {
        return Optional.ofNullable(buckets.get(name));
    }

    private SimulatedBucket bucket(String name) throws RefusedException {
        return find(name).orElseThrow(() -> new RefusedException(S3Error.NO_SUCH_BUCKET));
    }

    /**
     * Executes a request.
     *
     * @param now the server's clock
     * @param admits whether a key of a multi-delete may be deleted now
     */
    Answer answer(RequestTarget target, RequestHead head, RequestBody body, Instant now, Predicate<String> admits)
            throws IOException, RefusedException {
        if (target.operation() == Operation.CREATE_BUCKET) {
            createBucket(target.bucket());
            return Answer.empty(200).with("Location", "/" + target.bucket());
        }
        if (target.operation() == Operation.OTHER) {
            throw new RefusedException(S3Error.NOT_IMPLEMENTED);
        }
        SimulatedBucket bucket = bucket(target.bucket());
        return switch (target.operation()) {
            case PUT_OBJECT -> put(bucket, target.key(), head, body, now);
            case GET_OBJECT, HEAD_OBJECT -> read(bucket, target.key(), head);
            case DELETE_OBJECT -> {
                bucket.delete(target.key());
                yield Answer.empty(204);
            }
            case DELETE_OBJECTS -> delete(bucket, body, admits);
            case LIST_OBJECTS -> Listing.page(target.bucket(), bucket.objects(), head.query());
            case HEAD_BUCKET -> Answer.empty(200).with("x-amz-bucket-region", region.orElse("us-east-1"));
            case GET_BUCKET_LIFECYCLE -> lifecycle(bucket);
            case GET_BUCKET_VERSIONING ->
                Answer.xml(
                        200,
                        "<VersioningConfiguration>" + (bucket.isVersioned() ? "<Status>Enabled</Status>" : "")
                                + "</VersioningConfiguration>");
            case GET_BUCKET_LOCATION ->
                Answer.xml(
                        200,
                        "<LocationConstraint>"
                                + region.filter(name -> !name.equals("us-east-1"))
                                        .orElse("") + "</LocationConstraint>");
            default -> throw new RefusedException(S3Error.NOT_IMPLEMENTED);
        };
    }

    private Answer put(SimulatedBucket bucket, String key, RequestHead head, RequestBody body, Instant now)
            throws IOException, RefusedException {
        SimulatedBucket.Condition condition = condition(head);
        if (!condition.holds(bucket.object(key))) {
            throw new RefusedException(S3Error.PRECONDITION_FAILED);
        }
        long length = body.length();
        memory.reserve(length);
        boolean isStored = false;
        try {
            Map<String, String> headers = new LinkedHashMap<>();
            byte[] bytes = body.receive((int) length, headers);
            headers.remove("content-md5");
            bucket.counting().received(length);
            head.header("content-type").ifPresent(type -> headers.put("Content-Type", type));
            String etag = String.format("\"%016x%016x-1\"", versions.incrementAndGet(), length);
            isStored = bucket.put(key, new StoredObject(bytes, etag, now, headers), condition);
            if (!isStored) {
                throw new RefusedException(S3Error.PRECONDITION_FAILED);
            }
            return Answer.empty(200).with("ETag", etag);
        } finally {
            if (!isStored) {
                memory.release(length);
            }
        }
    }

    private static SimulatedBucket.Condition condition(RequestHead head) throws RefusedException {
        Optional<String> match = head.header("if-match");
        Optional<String> noneMatch = head.header("if-none-match");
        if (noneMatch.isPresent() && !noneMatch.get().equals("*")) {
            throw new RefusedException(S3Error.NOT_IMPLEMENTED);
        }
        return present -> (noneMatch.isEmpty() || present == null)
                && (match.isEmpty() || (present != null && present.etag().equals(match.get())));
    }

    private static Answer read(SimulatedBucket bucket, String key, RequestHead head) throws RefusedException {
        StoredObject object = bucket.object(key);
        if (object == null) {
            throw new RefusedException(S3Error.NO_SUCH_KEY);
        }
        int size = object.bytes().length;
        Matcher range = RANGE.matcher(head.headers().getOrDefault("range", ""));
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("ETag", object.etag());
        headers.put("Last-Modified", HTTP_DATE.format(object.modified()));
        headers.put("Accept-Ranges", "bytes");
        headers.put("Content-Type", object.headers().getOrDefault("Content-Type", "binary/octet-stream"));
        if (!range.matches() || range.group().equals("bytes=-")) {
            if (head.hasHeader("x-amz-checksum-mode", "ENABLED")) {
                headers.putAll(object.headers());
            }
            return new Answer(200, headers, object.bytes(), 0, size);
        }
        long[] part = part(range.group(1), range.group(2), size);
        if (part[0] >= part[1]) {
            S3Error error = S3Error.INVALID_RANGE;
            throw new RefusedException(error, error.answer().with("Content-Range", "bytes */" + size));
        }
        headers.put("Content-Range", "bytes " + part[0] + "-" + (part[1] - 1) + "/" + size);
        return new Answer(206, headers, object.bytes(), (int) part[0], (int) (part[1] - part[0]));
    }

    /** Start and end of an HTTP range: from-to, from-, or -last. */
    private static long[] part(String from, String to, int size) throws RefusedException {
        try {
            if (from.isEmpty()) {
                return new long[] {Math.max(0, size - Long.parseLong(to)), size};
            }
            return new long[] {Long.parseLong(from), to.isEmpty() ? size : Math.min(size, Long.parseLong(to) + 1)};
        } catch (NumberFormatException e) {
            throw new RefusedException(S3Error.INVALID_ARGUMENT);
        }
    }

    private static Answer delete(SimulatedBucket bucket, RequestBody body, Predicate<String> admits)
            throws IOException, RefusedException {
        long length = body.length();
        if (length > MAX_DELETE_BYTES) {
            throw new RefusedException(S3Error.MALFORMED_XML);
        }
        List<String> keys;
        try {
            keys = Xml.keys(new String(body.receive((int) length), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new RefusedException(S3Error.MALFORMED_XML);
        }
        if (keys.isEmpty() || keys.size() > MAX_DELETED_KEYS) {
            throw new RefusedException(S3Error.MALFORMED_XML);
        }
        StringBuilder xml = new StringBuilder("<DeleteResult>");
        for (String key : keys) {
            String element = "<Key>" + Xml.escaped(key) + "</Key>";
            if (admits.test(key)) {
                bucket.delete(key);
                xml.append("<Deleted>").append(element).append("</Deleted>");
            } else {
                xml.append("<Error>")
                        .append(element)
                        .append("<Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>");
            }
        }
        return Answer.xml(200, xml.append("</DeleteResult>").toString());
    }

    private static Answer lifecycle(SimulatedBucket bucket) throws RefusedException {
        if (bucket.lifecycle().isEmpty()) {
            throw new RefusedException(S3Error.NO_SUCH_LIFECYCLE_CONFIGURATION);
        }
        StringBuilder xml = new StringBuilder("<LifecycleConfiguration>");
        bucket.lifecycle().forEach(rule -> xml.append(rule.xml()));
        return Answer.xml(200, xml.append("</LifecycleConfiguration>").toString());
    }
}
