package dev.blobshuffle.core.internal.settings;

import dev.blobshuffle.core.internal.text.EditDistance;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds misspelt names of settings, which resemble BlobShuffle's but lack the prefix, such as
 * {@code blobshufle.store}. Such a setting has no effect, because Kafka ignores unknown names.
 * Stateless.
 */
final class MisspeltNames {
    private static final Logger LOG = LoggerFactory.getLogger(Settings.class);
    private static final String WORD = Setting.PREFIX.substring(0, Setting.PREFIX.length() - 1);
    private static final int NEAR = 2;

    private MisspeltNames() {}

    static void warn(Collection<String> names) {
        for (String name : among(names)) {
            LOG.warn(
                    "Setting {} has no effect: names of BlobShuffle's settings begin with '{}'. Correct its prefix.",
                    name,
                    Setting.PREFIX);
        }
    }

    /** The names whose first word, or first two words, are nearly the prefix. */
    static List<String> among(Collection<String> names) {
        return names.stream().filter(MisspeltNames::isMisspelt).sorted().toList();
    }

    private static boolean isMisspelt(String name) {
        if (name.startsWith(Setting.PREFIX)) {
            return false;
        }
        String[] words = name.toLowerCase(Locale.ROOT).replaceAll("[-_]", "").split("\\.", 3);
        return isNear(words[0], words.length > 1) || words.length > 2 && isNear(words[0] + words[1], true);
    }

    private static boolean isNear(String word, boolean hasMore) {
        boolean isAsLong = Math.abs(word.length() - WORD.length()) <= NEAR;
        return hasMore && isAsLong && EditDistance.between(word, WORD) <= NEAR;
    }
}
