package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.owner.OwnerText.Doubt;
import dev.blobshuffle.core.internal.owner.OwnerText.Lower;
import dev.blobshuffle.core.internal.owner.OwnerText.Owner;
import dev.blobshuffle.core.internal.owner.OwnerText.Raise;
import dev.blobshuffle.core.store.Registers;
import java.util.HashMap;
import java.util.Map;

/** Parses one text of the owners' register. Rejects unknown lines. */
final class OwnerTextReader {
    static final String HEAD = "BlobShuffle owners 1";

    private final Map<String, Raise> raises = new HashMap<>();
    private final Map<String, Doubt> doubts = new HashMap<>();
    private final Map<String, String> contests = new HashMap<>();
    private final Map<Integer, Owner> owners = new HashMap<>();
    private final Map<Integer, Lower> lowers = new HashMap<>();
    private long counter = -1;

    OwnerText read(String text) {
        String[] rows = text.split("\n", -1);
        boolean isGood =
                text.length() <= Registers.MOST_BYTES && rows[0].equals(HEAD) && rows[rows.length - 1].isEmpty();
        for (int row = 1; isGood && row < rows.length - 1; row++) {
            isGood = isRead(rows[row]);
        }
        if (!isGood || counter < 0 || !owners.keySet().containsAll(lowers.keySet())) {
            throw new InvalidSettingsException("Cannot read the owners of a store: register " + OwnerText.REGISTER
                    + " holds something else. Upgrade this instance, or restore the register.");
        }
        return new OwnerText(counter, raises, doubts, contests, owners, lowers);
    }

    /** Whether this version knows the row, and the row is the first of its kind and key. */
    private boolean isRead(String row) {
        String[] words = row.split(" ", -1);
        return switch (words[0]) {
            case "counter" -> isCounter(words);
            case "cluster" -> words.length == 4 && isNew(raises, words[1], new Raise(words[2], words[3]));
            case "doubt" -> {
                String[] parts = row.split(" ", 4);
                yield parts.length == 4 && isNew(doubts, parts[1], new Doubt(parts[2], parts[3]));
            }
            case "contest" -> {
                String[] parts = row.split(" ", 3);
                yield parts.length == 3 && isNew(contests, parts[1], parts[2]);
            }
            case "owner" ->
                words.length == 6
                        && isOwner(words[1])
                        && isPromise(words[4], words[5])
                        && isNew(
                                owners,
                                Integer.parseInt(words[1], 16),
                                new Owner(words[2], words[3], Promise.of(words[4], words[5])));
            case "lower" ->
                words.length == 5
                        && isOwner(words[1])
                        && isPromise(words[2], words[3])
                        && isNew(
                                lowers,
                                Integer.parseInt(words[1], 16),
                                new Lower(Promise.of(words[2], words[3]), words[4]));
            default -> false;
        };
    }

    private boolean isCounter(String[] words) {
        boolean isGood = words.length == 2 && words[1].matches("[0-9]{1,18}") && counter < 0;
        if (isGood) {
            counter = Long.parseLong(words[1]);
        }
        return isGood;
    }

    private static boolean isOwner(String word) {
        return word.matches("[0-9a-f]{6}");
    }

    private static boolean isPromise(String bound, String retention) {
        return bound.matches("[0-9]{1,15}") && retention.matches("[0-9]{1,15}|needed");
    }

    private static <K, V> boolean isNew(Map<K, V> map, K key, V value) {
        return map.put(key, value) == null;
    }
}
