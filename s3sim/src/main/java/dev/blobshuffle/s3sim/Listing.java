package dev.blobshuffle.s3sim;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Map;
import java.util.NavigableMap;

/** One page of {@code ListObjectsV2}. Owned by the connection's thread. */
final class Listing {
    private static final int MAX_KEYS = 1000;
    private static final String LAST = "\uffff";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Map<String, String> query;
    private final String prefix;
    private final String delimiter;
    private final boolean isEncoded;
    private final StringBuilder contents = new StringBuilder();
    private final StringBuilder prefixes = new StringBuilder();
    private String after;
    private int count;

    private Listing(Map<String, String> query) {
        this.query = query;
        prefix = query.getOrDefault("prefix", "");
        delimiter = query.getOrDefault("delimiter", "");
        isEncoded = "url".equals(query.get("encoding-type"));
        after = query.containsKey("continuation-token")
                ? new String(Base64.getUrlDecoder().decode(query.get("continuation-token")), StandardCharsets.UTF_8)
                : query.getOrDefault("start-after", "");
    }

    /** The page that a query requests. */
    static Answer page(String bucket, NavigableMap<String, StoredObject> objects, Map<String, String> query)
            throws RefusedException {
        try {
            int most = Math.min(MAX_KEYS, Integer.parseUnsignedInt(query.getOrDefault("max-keys", "1000")));
            Listing listing = new Listing(query);
            return listing.answer(bucket, most, listing.collect(objects, most));
        } catch (IllegalArgumentException e) {
            throw new RefusedException(S3Error.INVALID_ARGUMENT);
        }
    }

    /** Collects entries; returns whether there are more. */
    private boolean collect(NavigableMap<String, StoredObject> objects, int most) {
        Map.Entry<String, StoredObject> entry = after.compareTo(prefix) < 0
                ? objects.ceilingEntry(prefix)
                : objects.higherEntry(isWholePrefix(after) ? after + LAST : after);
        while (entry != null && entry.getKey().startsWith(prefix)) {
            if (count == most) {
                return most > 0;
            }
            String key = entry.getKey();
            int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
            count++;
            if (end < 0) {
                add(key, entry.getValue());
                after = key;
                entry = objects.higherEntry(key);
            } else {
                after = key.substring(0, end + delimiter.length());
                prefixes.append("<CommonPrefixes><Prefix>")
                        .append(encoded(after))
                        .append("</Prefix></CommonPrefixes>");
                entry = objects.higherEntry(after + LAST);
            }
        }
        return false;
    }

    private boolean isWholePrefix(String text) {
        return !delimiter.isEmpty() && text.length() > prefix.length() && text.endsWith(delimiter);
    }

    private void add(String key, StoredObject object) {
        contents.append("<Contents><Key>")
                .append(encoded(key))
                .append("</Key><LastModified>")
                .append(TIME.format(object.modified()))
                .append("</LastModified><ETag>")
                .append(Xml.escaped(object.etag()))
                .append("</ETag><Size>")
                .append(object.bytes().length)
                .append("</Size><StorageClass>STANDARD</StorageClass></Contents>");
    }

    private Answer answer(String bucket, int most, boolean hasMore) {
        StringBuilder xml = new StringBuilder("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">")
                .append("<Name>" + Xml.escaped(bucket) + "</Name><Prefix>" + encoded(prefix) + "</Prefix>")
                .append("<KeyCount>" + count + "</KeyCount><MaxKeys>" + most + "</MaxKeys>")
                .append("<IsTruncated>" + hasMore + "</IsTruncated>");
        echo(xml, "Delimiter", "delimiter");
        echo(xml, "StartAfter", "start-after");
        if (isEncoded) {
            xml.append("<EncodingType>url</EncodingType>");
        }
        if (query.containsKey("continuation-token")) {
            xml.append("<ContinuationToken>" + Xml.escaped(query.get("continuation-token")) + "</ContinuationToken>");
        }
        if (hasMore) {
            String token = Base64.getUrlEncoder().encodeToString(after.getBytes(StandardCharsets.UTF_8));
            xml.append("<NextContinuationToken>" + token + "</NextContinuationToken>");
        }
        return Answer.xml(
                200,
                xml.append(contents)
                        .append(prefixes)
                        .append("</ListBucketResult>")
                        .toString());
    }

    private void echo(StringBuilder xml, String element, String parameter) {
        String value = query.get(parameter);
        if (value != null) {
            xml.append('<')
                    .append(element)
                    .append('>')
                    .append(encoded(value))
                    .append("</")
                    .append(element)
                    .append('>');
        }
    }

    private String encoded(String text) {
        return isEncoded ? URLEncoder.encode(text, StandardCharsets.UTF_8).replace("%2F", "/") : Xml.escaped(text);
    }
}
