package dev.blobshuffle.core.format;

import org.jspecify.annotations.Nullable;

/** The bytes of a notification: {@code docs/format.md}, "Notification". Stateless. */
public final class NotificationCodec {
    private NotificationCodec() {}

    /** The notification's bytes, at most {@code 64} in practice. */
    public static byte[] encode(Notification notification) {
        throw new UnsupportedOperationException();
    }

    /**
     * The notification that the bytes hold.
     *
     * @throws dev.blobshuffle.core.failure.BlobCorrupt fatal: the bytes are not a notification, or one of a newer version
     */
    public static Notification decode(byte @Nullable [] bytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * Whether bytes begin as a notification of any version does. A guess that costs nothing: other bytes may begin so too, so a channel marks
     * notifications in its own way as well.
     */
    public static boolean isNotification(byte @Nullable [] bytes) {
        throw new UnsupportedOperationException();
    }
}
