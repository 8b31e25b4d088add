package dev.blobshuffle.cli.brokers;

import java.util.ArrayList;
import java.util.List;

/**
 * The text of a failure of Kafka's clients, with its causes. A client that cannot be created says
 * so, and only a cause further down says why. Stateless.
 */
public final class ClientFailure {
    private static final int MOST_CAUSES = 10;

    private ClientFailure() {}

    /** The failure's message, and in parentheses those of its causes that say more. */
    public static String text(Throwable failure) {
        List<String> parts = new ArrayList<>();
        Throwable cause = failure.getCause();
        for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
            String part = message(cause);
            // The message of a wrapper often ends with that of its cause.
            parts.removeIf(before -> before.endsWith(part));
            parts.add(part);
            cause = cause.getCause();
        }
        String message = message(failure);
        return parts.isEmpty() ? message : message + " (" + String.join(": ", parts) + ")";
    }

    /** The parser of a login names the word at which it stops, maybe a part of a password. */
    private static String message(Throwable failure) {
        String message = failure.getMessage();
        if (message == null) {
            return failure.getClass().getSimpleName();
        }
        return message.contains("JAAS") || message.contains("sasl.jaas.config")
                ? "sasl.jaas.config cannot be read: check its form, CLASS required NAME=\"VALUE\";"
                : message;
    }
}
