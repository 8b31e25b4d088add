package dev.blobshuffle.core.internal.format.record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** A record with value equality. It also generates random records with all unusual shapes. */
record TestRecord(long timestamp, List<Byte> key, List<Byte> value, List<Header> headers) {
    record Header(String name, List<Byte> value) {}

    static TestRecord of(long timestamp, byte[] key, byte[] value, Headers headers) {
        List<Header> copies = new ArrayList<>();
        for (int i = 0; i < headers.count(); i++) {
            copies.add(new Header(headers.name(i), boxed(headers.value(i))));
        }
        return new TestRecord(timestamp, boxed(key), boxed(value), copies);
    }

    static TestRecord random(SplittableRandom random) {
        List<Header> headers = new ArrayList<>();
        if (random.nextInt(4) == 0) {
            int count = random.nextInt(4);
            for (int i = 0; i < count; i++) {
                headers.add(new Header(randomName(random), randomBytes(random, 200)));
            }
        }
        return new TestRecord(randomTimestamp(random), randomBytes(random, 40), randomBytes(random, 2000), headers);
    }

    private static long randomTimestamp(SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> Long.MIN_VALUE;
            case 1 -> Long.MAX_VALUE;
            case 2 -> random.nextLong();
            case 3 -> -1;
            default -> 1_760_000_000_000L + random.nextInt(10_000);
        };
    }

    private static String randomName(SplittableRandom random) {
        String[] names = {"", "a", "trace-id", "größe", "\u4f60\u597d", "\ud83d\ude00", "x".repeat(random.nextInt(300))
        };
        return names[random.nextInt(names.length)];
    }

    private static List<Byte> randomBytes(SplittableRandom random, int bound) {
        if (random.nextInt(8) == 0) {
            return null;
        }
        byte[] bytes = new byte[random.nextInt(8) == 0 ? 0 : random.nextInt(bound)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        } else {
            Arrays.fill(bytes, (byte) random.nextInt());
        }
        return boxed(bytes);
    }

    byte[] keyBytes() {
        return unboxed(key);
    }

    byte[] valueBytes() {
        return unboxed(value);
    }

    Headers headersView() {
        return new Headers() {
            @Override
            public int count() {
                return headers.size();
            }

            @Override
            public String name(int index) {
                return headers.get(index).name();
            }

            @Override
            public byte[] value(int index) {
                return unboxed(headers.get(index).value());
            }
        };
    }

    static List<Byte> boxed(byte[] bytes) {
        if (bytes == null) {
            return null;
        }
        List<Byte> boxed = new ArrayList<>(bytes.length);
        for (byte b : bytes) {
            boxed.add(b);
        }
        return boxed;
    }

    private static byte[] unboxed(List<Byte> bytes) {
        if (bytes == null) {
            return null;
        }
        byte[] unboxed = new byte[bytes.size()];
        for (int i = 0; i < unboxed.length; i++) {
            unboxed[i] = bytes.get(i);
        }
        return unboxed;
    }
}
