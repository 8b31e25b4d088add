package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreFinding.Level;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One result of a check.
 *
 * @param level the severity
 * @param area {@code store}, {@code kafka}, {@code log}, {@code settings} or {@code class path}
 * @param subject the topic, in a word or two
 * @param what the fact
 * @param remedy what to do; empty if no action is needed
 */
record Finding(Level level, String area, String subject, String what, Optional<String> remedy) {
    static final String STORE = "store";
    static final String KAFKA = "kafka";
    static final String LOG = "log";
    static final String SETTINGS = "settings";

    static Finding of(String area, StoreFinding finding) {
        return new Finding(finding.level(), area, finding.subject(), finding.what(), finding.remedy());
    }

    static Finding ok(String area, String subject, String what) {
        return of(area, StoreFinding.ok(subject, what));
    }

    static Finding error(String area, String subject, String what, String remedy) {
        return of(area, StoreFinding.error(subject, what, remedy));
    }

    /** A finding for one of our failures. The failure's last sentence is the remedy. */
    static Finding failed(String area, String subject, Throwable failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        int end = message.endsWith(".") ? message.length() - 1 : message.length();
        int split = message.lastIndexOf(". ", end - 1);
        return split < 0
                ? error(area, subject, message, "Look up this message in the store's documentation.")
                : error(area, subject, message.substring(0, split), message.substring(split + 2));
    }

    StoreFinding asStoreFinding() {
        return new StoreFinding(level, subject, what, remedy);
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "%-7s %-8s %s: %s.%s",
                level == Level.OK ? "ok" : level,
                area,
                subject,
                what,
                remedy.map(text -> "\n                 -> " + text).orElse(""));
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("level", level.name().toLowerCase(Locale.ROOT));
        json.put("area", area);
        json.put("subject", subject);
        json.put("what", what);
        remedy.ifPresent(text -> json.put("remedy", text));
        return json;
    }
}
