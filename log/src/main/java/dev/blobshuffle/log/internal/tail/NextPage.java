package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.ReadRequest;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The next page that the ring of a topic needs.
 *
 * @param request reads it from the log, and compares a bookmark if a comparison is due
 * @param before the batch before the page; empty if only the log may answer, because the reader has
 *     none, or must compare it first
 * @param end the topic's last known end
 */
public record NextPage(ReadRequest request, Optional<Bookmark> before, OptionalLong end) {}
