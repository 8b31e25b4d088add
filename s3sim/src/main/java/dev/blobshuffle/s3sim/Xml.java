package dev.blobshuffle.s3sim;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The subset of XML that S3 needs. Stateless. */
final class Xml {
    private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");

    private Xml() {}

    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                default -> {
                    if (c < ' ') {
                        escaped.append("&#").append((int) c).append(';');
                    } else {
                        escaped.append(c);
                    }
                }
            }
        }
        return escaped.toString();
    }

    /** The texts of all {@code Key} elements, in their order. */
    static List<String> keys(String xml) {
        List<String> keys = new ArrayList<>();
        Matcher matcher = KEY.matcher(xml);
        while (matcher.find()) {
            keys.add(unescaped(matcher.group(1)));
        }
        return keys;
    }

    private static String unescaped(String text) {
        if (text.indexOf('&') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            int end = text.charAt(at) == '&' ? text.indexOf(';', at) : -1;
            if (end < 0) {
                plain.append(text.charAt(at++));
            } else {
                plain.append(entity(text.substring(at + 1, end)));
                at = end + 1;
            }
        }
        return plain.toString();
    }

    private static String entity(String name) {
        return switch (name) {
            case "amp" -> "&";
            case "lt" -> "<";
            case "gt" -> ">";
            case "quot" -> "\"";
            case "apos" -> "'";
            default -> {
                boolean isHex = name.startsWith("#x");
                yield name.startsWith("#")
                        ? Character.toString(Integer.parseInt(name.substring(isHex ? 2 : 1), isHex ? 16 : 10))
                        : "&" + name + ";";
            }
        };
    }
}
