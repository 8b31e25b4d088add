package dev.blobshuffle.bench.evidence;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number as a document prints it.
 *
 * @param text its digits, with commas between thousands
 * @param isClaim whether the text around it makes it a measured number or a ratio: it has
 *     decimals, or a percent sign or "times" follows
 */
record Printed(String text, boolean isClaim) {
    private static final Pattern NUMBER = Pattern.compile(
            "(?<![\\w.,])(?:(?<![\\w)])[-+])?(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)(?![\\d.,]*\\d|\\w)");

    private static final Pattern UNIT = Pattern.compile("\\G(?:\\*\\*)? ?\\s?(?:%|times\\b|x\\b)");

    /** The numbers of a text, in order, except those in code and in the targets of links. */
    static List<Printed> in(String text) {
        String prose = text.replaceAll("`[^`]*`", "``")
                .replaceAll("\\]\\([^)]*\\)", "]")
                .replaceAll("https?://\\S+", "")
                .replaceAll("\\[arXiv:[^\\]]*\\]", "");
        List<Printed> numbers = new ArrayList<>();
        Matcher number = NUMBER.matcher(prose);
        while (number.find()) {
            boolean hasUnit = UNIT.matcher(prose).find(number.end());
            numbers.add(new Printed(number.group(), hasUnit || number.group(1).contains(".")));
        }
        return numbers;
    }

    /** The digits after the point. */
    private int decimals() {
        int point = text.indexOf('.');
        return point < 0 ? 0 : text.length() - point - 1;
    }

    /** Whether a number, rounded like this one, is this one. Results themselves are rounded. */
    boolean shows(double number) {
        double printed = Double.parseDouble(text.replace(",", "").replace("+", ""));
        return Math.abs(printed - number) <= 0.51 * Math.pow(10, -decimals());
    }

    /** The digits without a sign. */
    String unsigned() {
        return text.replaceFirst("^[-+]", "");
    }
}
