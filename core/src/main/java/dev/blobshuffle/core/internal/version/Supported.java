package dev.blobshuffle.core.internal.version;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of the table of versions: a library or a program, and the range of its tested versions.
 *
 * @param name its name in the documentation
 * @param artifact {@code group:artifact} of its jar; empty if it is not a library that BlobShuffle
 *     uses
 * @param oldest the oldest version that works
 * @param newest the newest tested version
 * @param everyBuild the versions that every build tests
 * @param nightly the versions that {@code make nightly} tests in addition
 */
public record Supported(
        String name, Optional<String> artifact, String oldest, String newest, String everyBuild, String nightly) {
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?\\b.*");

    /** The name of its jar, without the version; empty if it has no artifact. */
    public Optional<String> jar() {
        return artifact.map(name -> name.substring(name.indexOf(':') + 1));
    }

    /** Whether a version is older than {@link #oldest}; false if it has another form. */
    public boolean isTooOld(String version) {
        return isOlder(version, oldest);
    }

    /** Whether a version is older than another; false if one has another form. */
    static boolean isOlder(String version, String other) {
        return compare(version, other, 3) < 0;
    }

    /** Whether a version is of a newer release than {@link #newest}; patches do not count. */
    public boolean isUntested(String version) {
        return compare(version, newest, 2) > 0;
    }

    /** The message for a version that is too old. */
    public String refusal(String version) {
        return jar().orElse(name) + " " + version + " is too old: BlobShuffle needs " + oldest + " or newer";
    }

    /** Compares the first numbers. Versions of another form count as equal to all. */
    private static int compare(String one, String other, int numbers) {
        Matcher left = NUMBERS.matcher(one);
        Matcher right = NUMBERS.matcher(other);
        if (!left.matches() || !right.matches()) {
            return 0;
        }
        for (int group = 1; group <= numbers; group++) {
            int order = Long.compare(number(left, group), number(right, group));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static long number(Matcher version, int group) {
        return version.group(group) == null ? 0 : Long.parseLong(version.group(group));
    }
}
