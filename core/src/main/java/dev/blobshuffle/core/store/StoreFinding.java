package dev.blobshuffle.core.store;

import java.time.Duration;
import java.util.Optional;

/**
 * One fact about a store, and its remedy. Never holds credentials.
 *
 * @param level the severity
 * @param subject the subject in a word or two: {@code lifecycle}, {@code region},
 *     {@code conditional put}
 * @param what the fact, a sentence without its full stop
 * @param remedy what to do, a sentence; empty if nothing is to be done
 */
public record StoreFinding(Level level, String subject, String what, Optional<String> remedy) {
    /** A shorter expiry could delete blobs that a reader needs after an outage over a weekend. */
    private static final Duration SHORT_EXPIRY = Duration.ofDays(2);

    /** The severity of a finding. */
    public enum Level {
        /** No problem. */
        OK,
        /** Worth knowing. */
        HINT,
        /** Works, but costs money or may fail one day. */
        WARNING,
        /** Does not work. */
        ERROR
    }

    /** Checks that a problem has a remedy. */
    public StoreFinding {
        if (level.compareTo(Level.WARNING) >= 0 && remedy.isEmpty()) {
            throw new IllegalArgumentException(
                    "Cannot make a finding about " + subject + ": a " + level + " has no remedy. Give one.");
        }
    }

    /** A finding of level {@link Level#OK}. */
    public static StoreFinding ok(String subject, String what) {
        return new StoreFinding(Level.OK, subject, what, Optional.empty());
    }

    /** A finding of level {@link Level#HINT}. */
    public static StoreFinding hint(String subject, String what, String remedy) {
        return new StoreFinding(Level.HINT, subject, what, Optional.of(remedy));
    }

    /** A finding of level {@link Level#WARNING}. */
    public static StoreFinding warning(String subject, String what, String remedy) {
        return new StoreFinding(Level.WARNING, subject, what, Optional.of(remedy));
    }

    /** A finding of level {@link Level#ERROR}. */
    public static StoreFinding error(String subject, String what, String remedy) {
        return new StoreFinding(Level.ERROR, subject, what, Optional.of(remedy));
    }

    /**
     * The service could not answer a question.
     *
     * @param reason for example {@code the credentials lack s3:GetLifecycleConfiguration}, with or
     *     without a full stop
     */
    public static StoreFinding unknown(String subject, String reason) {
        String end = reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason;
        return hint(subject, "unknown: " + end, "Check it in the console of the service.");
    }

    /** A rule of the service deletes blobs by their age. */
    public static StoreFinding expiry(Duration age) {
        String what = "the service deletes blobs after " + days(age);
        return age.compareTo(SHORT_EXPIRY) < 0
                ? warning(
                        "lifecycle",
                        what + ", read or not: a reader that lags longer fails with BlobMissingException",
                        "Let the rule expire blobs later than the longest lag you tolerate, " + days(SHORT_EXPIRY)
                                + " or more.")
                : ok("lifecycle", what);
    }

    /**
     * No rule of the service deletes blobs, so orphans cost storage for ever.
     *
     * @param blobPrefix the prefix of the keys of blobs in the bucket
     */
    public static StoreFinding neverExpires(String blobPrefix) {
        return warning(
                "lifecycle",
                "no rule of the service deletes old blobs, so orphans of failed instances are stored, and charged, for ever",
                "Add a rule that expires keys below '" + blobPrefix
                        + "' some days later than the longest lag you tolerate.");
    }

    /** A rule of the service also deletes the store's marker, the object with its id. */
    public static StoreFinding expiresMarker(String blobPrefix) {
        return warning(
                "lifecycle",
                "a rule of the service also deletes the store's marker, so instances that start later see another store and fail at older notifications",
                "Limit the rule to keys below '" + blobPrefix + "'.");
    }

    /**
     * The service keeps blobs for a while after they are deleted, and charges for them (soft
     * delete).
     */
    public static StoreFinding keepsDeleted(Duration time) {
        return warning(
                "soft delete",
                "deleted blobs are stored, and charged, for another " + days(time),
                "Switch soft delete off for this bucket: blobs live for minutes or hours.");
    }

    /** The service keeps old versions, so a delete frees no storage. */
    public static StoreFinding keepsVersions() {
        return warning(
                "versioning",
                "the bucket keeps versions, so deleted blobs stay and are charged",
                "Suspend versioning for this bucket, or use one without it.");
    }

    private static String days(Duration time) {
        long hours = time.toHours();
        if (hours % 24 != 0 || hours == 0) {
            return hours + (hours == 1 ? " hour" : " hours");
        }
        return hours == 24 ? "1 day" : hours / 24 + " days";
    }
}
