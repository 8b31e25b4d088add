package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.log.internal.Bookmark;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A member's request to another one for the batches after a batch that it has. Its text is part of
 * the protocol of a zone ({@code docs/guides/zones.md}, "The protocol").
 *
 * @param log the requester's log
 * @param topic the topic's number
 * @param after the batch before the requested ones
 * @param maxBytes after this many bytes of entries no further batch is sent; at least one is, if
 *     there is any
 */
public record LogQuestion(UUID log, int topic, Bookmark after, int maxBytes) {
    /** The most bytes of a request. */
    public static final int MOST_BYTES = 1 << 20;

    /** The most batches of a page. */
    public static final int MOST_BATCHES = 500;

    private static final Pattern TEXT = Pattern.compile("([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9]{1,9})"
            + "\\?after=([0-9]{1,18})&id=([0-9]{1,18})&crc=([0-9a-f]{8})&bytes=([0-9]{1,9})");

    /** Checks the numbers. */
    public LogQuestion {
        if (topic < 0
                || after.sequence() < 0
                || after.sequence() == Long.MAX_VALUE
                || maxBytes < 1
                || maxBytes > MOST_BYTES) {
            throw new IllegalArgumentException("Cannot ask for batches of topic " + topic + " after " + after.sequence()
                    + ", at most " + maxBytes + " bytes. Give 1 to " + MOST_BYTES + " bytes.");
        }
    }

    /**
     * Parses the text of a question.
     *
     * @throws IllegalArgumentException the text is invalid; the message gives the reason
     */
    static LogQuestion parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("Cannot find a page: the path is not "
                    + "/log/<log>/<topic>?after=<sequence>&id=<id>&crc=<8 hex digits>&bytes=<most>.");
        }
        Bookmark after = new Bookmark(
                Long.parseLong(parts.group(3)),
                Long.parseLong(parts.group(4)),
                Integer.parseUnsignedInt(parts.group(5), 16));
        return new LogQuestion(
                UUID.fromString(parts.group(1)),
                Integer.parseInt(parts.group(2)),
                after,
                Integer.parseInt(parts.group(6)));
    }

    /** The text of the question, which determines the page. */
    String text() {
        return log + "/" + topic + "?after=" + after.sequence() + "&id=" + after.id() + "&crc="
                + "%08x".formatted(after.checksum()) + "&bytes=" + maxBytes;
    }

    /** The sequence of the first requested batch. */
    public long from() {
        return after.sequence() + 1;
    }
}
