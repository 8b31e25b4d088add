package dev.blobshuffle.s3sim;

import java.util.Map;
import java.util.Set;

/**
 * The bucket or object that a request addresses.
 *
 * @param bucket empty: none
 * @param key empty: the bucket itself
 */
record RequestTarget(Operation operation, String bucket, String key) {
    /** Query parameters that turn a request for an object into another operation. */
    private static final Set<String> SUBRESOURCES = Set.of(
            "acl",
            "attributes",
            "legal-hold",
            "partNumber",
            "restore",
            "retention",
            "select",
            "tagging",
            "torrent",
            "uploadId",
            "uploads",
            "versionId");

    /** Finds bucket and key in the host name (virtual-host style) or in the path. */
    static RequestTarget of(RequestHead head, String domain) {
        String host = head.headers().getOrDefault("host", "");
        int port = host.lastIndexOf(':');
        String name = port < 0 ? host : host.substring(0, port);
        if (name.endsWith("." + domain)) {
            return of(
                    head,
                    name.substring(0, name.length() - domain.length() - 1),
                    head.path().substring(1));
        }
        int slash = head.path().indexOf('/', 1);
        return slash < 0
                ? of(head, head.path().substring(1), "")
                : of(head, head.path().substring(1, slash), head.path().substring(slash + 1));
    }

    private static RequestTarget of(RequestHead head, String bucket, String key) {
        Operation operation = Operation.OTHER;
        if (!bucket.isEmpty()) {
            operation = key.isEmpty() ? ofBucket(head) : ofObject(head);
        }
        return new RequestTarget(operation, bucket, key);
    }

    private static Operation ofObject(RequestHead head) {
        if (head.query().keySet().stream().anyMatch(SUBRESOURCES::contains)
                || head.header("x-amz-copy-source").isPresent()) {
            return Operation.OTHER;
        }
        return switch (head.method()) {
            case "PUT" -> Operation.PUT_OBJECT;
            case "GET" -> Operation.GET_OBJECT;
            case "HEAD" -> Operation.HEAD_OBJECT;
            case "DELETE" -> Operation.DELETE_OBJECT;
            default -> Operation.OTHER;
        };
    }

    private static Operation ofBucket(RequestHead head) {
        Map<String, String> query = head.query();
        return switch (head.method()) {
            case "GET" -> {
                if (query.containsKey("lifecycle")) {
                    yield Operation.GET_BUCKET_LIFECYCLE;
                } else if (query.containsKey("versioning")) {
                    yield Operation.GET_BUCKET_VERSIONING;
                } else if (query.containsKey("location")) {
                    yield Operation.GET_BUCKET_LOCATION;
                }
                yield "2".equals(query.get("list-type")) ? Operation.LIST_OBJECTS : Operation.OTHER;
            }
            case "HEAD" -> Operation.HEAD_BUCKET;
            case "PUT" -> query.isEmpty() || query.containsKey("x-id") ? Operation.CREATE_BUCKET : Operation.OTHER;
            case "POST" -> query.containsKey("delete") ? Operation.DELETE_OBJECTS : Operation.OTHER;
            default -> Operation.OTHER;
        };
    }
}
