package dev.blobshuffle.s3;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.core.exception.SdkClientException;

/**
 * Extracts why the SDK found no credentials. The SDK's message lists every source that it asked.
 * This class keeps the sources that were configured and failed, and omits those that were not
 * configured. Stateless.
 */
final class CredentialsFailure {
    private static final String START = "Unable to load credentials";

    /** The beginning of the next source in the SDK's list. */
    private static final Pattern NEXT = Pattern.compile("(?:, |\\[)(?=[A-Z][A-Za-z]*CredentialsProvider\\()");

    /** The separator between the sources and their reasons. */
    private static final String REASONS = ") : [";

    /** The end of the description of a source, which may contain parentheses itself. */
    private static final String REASON = "): ";

    /** The messages of sources that are not configured. */
    private static final List<String> NOT_CONFIGURED = List.of(
            "Access key must be specified",
            "must be set",
            "environment variables are set",
            "contained no credentials for profile 'default'",
            "Failed to load credentials from IMDS",
            "IMDS credentials have been disabled",
            "EC2 metadata");

    private CredentialsFailure() {}

    /**
     * The reasons of the sources that failed, joined; an empty text if no source is configured.
     *
     * @return empty if it is a different failure
     */
    static Optional<String> reason(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (!(failure instanceof SdkClientException) || !message.contains(START)) {
            return Optional.empty();
        }
        int at = message.lastIndexOf(REASONS);
        String reasons = at < 0 ? "" : message.substring(at + REASONS.length() - 1);
        return Optional.of(Stream.of(NEXT.split(reasons))
                .filter(part -> !part.isEmpty())
                .map(CredentialsFailure::withoutSource)
                .filter(reason -> NOT_CONFIGURED.stream().noneMatch(reason::contains))
                .collect(Collectors.joining("; ")));
    }

    private static String withoutSource(String part) {
        int at = part.indexOf(REASON);
        String reason = at < 0 ? part : part.substring(at + REASON.length());
        String line = reason.endsWith("]") ? reason.substring(0, reason.length() - 1) : reason;
        String text = line.strip();
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
