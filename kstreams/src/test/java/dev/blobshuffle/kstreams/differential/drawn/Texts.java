package dev.blobshuffle.kstreams.differential.drawn;

import org.jspecify.annotations.Nullable;

/** The functions of topologies on keys and values; each is total. */
final class Texts {
    /** Makes a text unreadable for the deserializer. */
    static final char UNREADABLE = '!';

    /** Makes a text unwritable for the serializer. */
    static final char UNWRITABLE = '^';

    /** Larger than a record may be, on both sides. */
    static final int TOO_LARGE = 40_000;

    /** The most bytes of a record, on both sides. */
    static final int RECORD_LIMIT = 16_384;

    private Texts() {}

    /** A new key. */
    enum Rekey {
        FIRST_OF_VALUE {
            @Override
            String of(@Nullable String key, @Nullable String value) {
                return value == null || value.isEmpty() ? "none" : value.substring(0, 1);
            }
        },
        /** Records with the same new key had the same old key. */
        LONGER {
            @Override
            String of(@Nullable String key, @Nullable String value) {
                return key + "/" + bucket(value, 3);
            }
        },
        BUCKET {
            @Override
            String of(@Nullable String key, @Nullable String value) {
                return "b" + bucket(value, 5);
            }
        },
        CONSTANT {
            @Override
            String of(@Nullable String key, @Nullable String value) {
                return "c";
            }
        },
        SOMETIMES_NULL {
            @Override
            @Nullable
            String of(@Nullable String key, @Nullable String value) {
                return bucket(value, 4) == 0 ? null : "k" + bucket(value, 3);
            }
        };

        abstract @Nullable String of(@Nullable String key, @Nullable String value);
    }

    /** A new value. */
    enum Mapping {
        NOTHING {
            @Override
            @Nullable
            String of(@Nullable String value) {
                return value;
            }
        },
        APPEND {
            @Override
            String of(@Nullable String value) {
                return value + ".";
            }
        },
        SOMETIMES_NULL {
            @Override
            @Nullable
            String of(@Nullable String value) {
                return bucket(value, 4) == 1 ? null : value;
            }
        },
        SOMETIMES_EMPTY {
            @Override
            @Nullable
            String of(@Nullable String value) {
                return bucket(value, 6) == 1 ? "" : value;
            }
        },
        /** Not readable after a shuffle. */
        SPOIL {
            @Override
            @Nullable
            String of(@Nullable String value) {
                return bucket(value, 7) == 1 ? UNREADABLE + value : value;
            }
        },
        /** Not writable to a shuffle. */
        CORRUPT {
            @Override
            @Nullable
            String of(@Nullable String value) {
                return bucket(value, 7) == 1 ? UNWRITABLE + value : value;
            }
        },
        /** Larger than a record may be. */
        INFLATE {
            @Override
            @Nullable
            String of(@Nullable String value) {
                return bucket(value, 9) == 1 ? value + "x".repeat(TOO_LARGE) : value;
            }
        };

        abstract @Nullable String of(@Nullable String value);
    }

    static int bucket(@Nullable String value, int buckets) {
        int hash = value == null ? 1 : value.hashCode();
        return Math.floorMod((hash ^ hash >>> 7) * 0x9E3779B1 >>> 8, buckets);
    }

    static String max(String one, String other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** A value that depends on the order of its inputs. */
    static String digest(String before, @Nullable String next) {
        return "d" + Integer.toHexString((before + "," + next).hashCode());
    }
}
