package dev.blobshuffle.s3sim;

/**
 * A rule of a bucket's lifecycle configuration. The simulator reports rules and does not follow
 * them.
 *
 * @param prefix the keys that it is for; empty: all
 * @param days after how many days objects expire, 1 or more
 */
public record LifecycleRule(String prefix, int days) {
    /** Checks the days. */
    public LifecycleRule {
        if (days < 1) {
            throw new IllegalArgumentException(
                    "Cannot make a lifecycle rule: it expires objects after " + days + " days. Give 1 or more.");
        }
    }

    String xml() {
        return "<Rule><ID>" + Xml.escaped("expire-" + prefix) + "</ID><Filter><Prefix>" + Xml.escaped(prefix)
                + "</Prefix></Filter><Status>Enabled</Status><Expiration><Days>" + days
                + "</Days></Expiration></Rule>";
    }
}
