package dev.blobshuffle.core.internal.text;

/**
 * The Levenshtein distance: the number of letters to insert, remove or replace to turn one word
 * into another. Stateless.
 */
public final class EditDistance {
    private EditDistance() {}

    /** The distance between two words. */
    public static int between(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j < above.length; j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[above.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }
}
