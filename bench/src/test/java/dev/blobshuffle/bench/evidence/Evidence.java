package dev.blobshuffle.bench.evidence;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares the numbers of a document with the results that its {@link Tie ties} name. Owned by one
 * thread.
 */
final class Evidence {
    /** Marks what comes from a run that was not steady. */
    private static final String UNSTEADY = "†";

    /** Marks a result that no commit of this repository can repeat. */
    private static final String UNCLEAN = "‡";

    private static final Pattern LINK = Pattern.compile("\\]\\([^)]*results/([a-z0-9-]+\\.json)\\)(\\s*‡)?");

    private final KeptFiles files;
    private final List<String> problems = new ArrayList<>();
    private final Set<String> tied = new HashSet<>();
    private final Set<String> used = new HashSet<>();

    private Evidence(KeptFiles files) {
        this.files = files;
    }

    /** The problems of a document: numbers that differ, are not tied or not marked. */
    static List<String> problems(KeptFiles files, List<String> document) {
        List<String> problems = new ArrayList<>();
        for (List<Part> section : Part.sections(document)) {
            if (!section.isEmpty()) {
                Evidence evidence = new Evidence(files);
                evidence.check(section);
                String title = section.get(0).lines().get(0);
                evidence.problems.forEach(problem -> problems.add(title + ": " + problem));
            }
        }
        String all = String.join("\n", document);
        if ((all.contains(UNSTEADY) || all.contains(UNCLEAN)) && !all.contains("#marks)") && !all.contains("# Marks")) {
            problems.add("no link to the meaning of the marks");
        }
        return problems;
    }

    private void check(List<Part> section) {
        List<Part> claims = new ArrayList<>();
        for (int i = 0; i < section.size(); i++) {
            Part part = section.get(i);
            switch (part.kind()) {
                case TEXT -> claims.add(part);
                case TABLE -> checkTable(part, i > 0 ? section.get(i - 1) : part, claims);
                case COMMENT -> checkComment(part, i == 0 ? part : text(section, i));
            }
        }
        claims.forEach(this::checkClaims);
        String text = String.join("\n", claims.stream().map(Part::text).toList());
        checkLinks(text);
        List<String> unclean =
                used.stream().filter(name -> !files.isClean(name)).sorted().toList();
        if (!unclean.isEmpty() && !text.contains(UNCLEAN)) {
            problems.add("no " + UNCLEAN + " although it uses " + unclean);
        }
    }

    /** The last text or table before a comment. */
    private static Part text(List<Part> section, int comment) {
        int i = comment;
        while (i > 0 && section.get(i).kind() == Part.Kind.COMMENT) {
            i--;
        }
        return section.get(i);
    }

    private void checkComment(Part comment, Part before) {
        Tie tie = Tie.of(comment);
        if (tie.kind().equals("stated")) {
            Printed.in(tie.head()).forEach(number -> tied.add(number.unsigned()));
            return;
        }
        if (!tie.kind().equals("numbers")) {
            return;
        }
        List<String> printed =
                Printed.in(before.text()).stream().map(Printed::unsigned).toList();
        tie.numbers().forEach((texts, expression) -> {
            List<Printed> numbers = Printed.in(texts);
            numbers.stream()
                    .map(Printed::unsigned)
                    .filter(number -> !printed.contains(number))
                    .forEach(number -> problems.add(number + " is tied, but not in the text before"));
            compare(texts, numbers, tie.head(), expression, true);
        });
    }

    private void checkTable(Part table, Part before, List<Part> claims) {
        Tie tie = before.kind() == Part.Kind.COMMENT ? Tie.of(before) : new Tie("", "", List.of());
        if (tie.kind().equals("no results")) {
            return;
        }
        List<List<String>> rows = table.cells();
        if (!tie.kind().equals("table")) {
            problems.add("a table is tied to nothing: " + rows.get(0));
            return;
        }
        Map<Tie.Cell, String> cells = tie.cells();
        Set<Tie.Cell> unsteady = new HashSet<>();
        cells.forEach((cell, expression) -> {
            if (cell.row() + 1 >= rows.size()
                    || cell.column() >= rows.get(cell.row() + 1).size()) {
                problems.add("no cell at row " + (cell.row() + 1) + ", column " + (cell.column() + 1));
                return;
            }
            String text = rows.get(cell.row() + 1).get(cell.column());
            if (!text.isEmpty() && !compare(text, Printed.in(text), tie.head(), expression, false)) {
                unsteady.add(cell);
            }
        });
        checkMarks(rows, unsteady);
        claims.add(new Part(Part.Kind.TABLE, untied(rows, cells.keySet())));
    }

    /** The cells of a table that are tied to nothing, without those of its first column. */
    private static List<String> untied(List<List<String>> rows, Set<Tie.Cell> tied) {
        List<String> texts = new ArrayList<>(List.of(""));
        for (int row = 0; row + 1 < rows.size(); row++) {
            for (int column = 1; column < rows.get(row + 1).size(); column++) {
                if (!tied.contains(new Tie.Cell(row, column))) {
                    texts.add(rows.get(row + 1).get(column));
                }
            }
        }
        return texts;
    }

    /** Each cell of an unsteady run is marked, or its row or its column; no other is. */
    private void checkMarks(List<List<String>> rows, Set<Tie.Cell> unsteady) {
        Set<Tie.Cell> needed = new HashSet<>();
        for (Tie.Cell cell : unsteady) {
            List<Tie.Cell> places = List.of(new Tie.Cell(cell.row(), 0), new Tie.Cell(-1, cell.column()), cell);
            List<Tie.Cell> marked = places.stream()
                    .filter(place ->
                            rows.get(place.row() + 1).get(place.column()).contains(UNSTEADY))
                    .toList();
            if (marked.isEmpty()) {
                problems.add(
                        "not marked as unsteady: " + rows.get(cell.row() + 1).get(0) + " | "
                                + rows.get(cell.row() + 1).get(cell.column()));
            }
            needed.addAll(marked);
        }
        for (int row = 0; row < rows.size(); row++) {
            for (int column = 0; column < rows.get(row).size(); column++) {
                boolean isMarked = rows.get(row).get(column).contains(UNSTEADY);
                if (isMarked && !needed.contains(new Tie.Cell(row - 1, column))) {
                    problems.add(
                            "marked as unsteady, but steady: " + rows.get(row).get(column));
                }
            }
        }
    }

    /**
     * Compares numbers as printed with an expression. A cell may print only the first numbers.
     *
     * @return whether the runs behind them were steady
     */
    private boolean compare(String text, List<Printed> printed, String file, String expression, boolean isComplete) {
        List<Double> numbers;
        Expression parsed = new Expression(files, file, expression);
        try {
            numbers = parsed.numbers();
        } catch (IllegalArgumentException e) {
            problems.add(text + ": " + e.getMessage());
            return true;
        }
        used.addAll(parsed.used());
        boolean isRight = isComplete ? printed.size() == numbers.size() : printed.size() <= numbers.size();
        for (int i = 0; isRight && i < printed.size(); i++) {
            isRight = printed.get(i).shows(numbers.get(i));
        }
        if (!isRight) {
            problems.add("\"" + text + "\" is " + numbers + " in the results: " + expression);
        }
        printed.forEach(number -> tied.add(number.unsigned()));
        return parsed.isSteady() || printed.isEmpty();
    }

    private void checkClaims(Part text) {
        List<String> bare = new ArrayList<>();
        for (Printed number : Printed.in(text.text())) {
            if (number.isClaim() && !tied.contains(number.unsigned())) {
                bare.add(number.text());
            }
        }
        if (!bare.isEmpty()) {
            String start = text.text().strip();
            problems.add(
                    "tied to no result: " + bare + " in \"" + start.substring(0, Math.min(60, start.length())) + "\"");
        }
    }

    private void checkLinks(String text) {
        Matcher link = LINK.matcher(text);
        while (link.find()) {
            boolean isMarked = link.group(2) != null;
            if (isMarked == files.isClean(link.group(1))) {
                problems.add((isMarked ? "marked, but clean: " : "not marked with " + UNCLEAN + ": ") + link.group(1));
            }
        }
    }
}
