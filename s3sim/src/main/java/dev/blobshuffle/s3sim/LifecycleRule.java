package dev.blobshuffle.s3sim;

/**
 * A rule of a bucket's lifecycle configuration. The simulator reports rules but does not apply
 * them.
 *
 * @param prefix of the keys; empty: all
 * @param days after which objects expire, 1 or more
 */
public record LifecycleRule(String prefix, int days) {
    /** Checks the number of days. */
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
