package dev.blobshuffle.log.internal;

import java.nio.charset.StandardCharsets;

/**
 * Validates names of topics, groups and publishers: 1 to {@link #MAX_BYTES} bytes in UTF-8, not
 * blank, without U+0000 and without unpaired surrogates. Databases reject or change other names, so
 * they are rejected before a database gets them. Stateless.
 */
public final class LogName {
    /** The most bytes in UTF-8. */
    public static final int MAX_BYTES = 500;

    private LogName() {}

    /**
     * Checks a name.
     *
     * @param what the kind of name, as in "topic"
     * @return the name
     * @throws IllegalArgumentException the name is invalid
     */
    public static String check(String what, String name) {
        String reason = "";
        if (name.isBlank()) {
            reason = "it is blank";
        } else if (name.indexOf('\0') >= 0) {
            reason = "it contains U+0000";
        } else if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            reason = "it contains half of a surrogate pair";
        } else if (name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            reason = "it has " + name.getBytes(StandardCharsets.UTF_8).length + " bytes in UTF-8";
        }
        if (!reason.isEmpty()) {
            String shown = name.length() > 40 ? name.substring(0, 40) + "…" : name;
            throw new IllegalArgumentException("Cannot name a " + what + " '" + shown.replace('\0', '?') + "': "
                    + reason + ". Give 1 to " + MAX_BYTES + " bytes, not all blank.");
        }
        return name;
    }
}
