package dev.blobshuffle.examples.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ParameterException;

/**
 * A page of the documentation whose blocks a test takes in their order, to run them or to leave
 * them with a reason. A block that the test does neither with fails {@link #end}, and so does a
 * replacement of something that the page does not print. Owned by one thread.
 */
final class PrintedPage {
    private static final Path ROOT = Path.of("..");
    private static final String FENCE = "```";
    private static final int CODE_INDENT = 4;
    private static final Pattern ITEM = Pattern.compile("\\s*(?:[-*]|\\d+\\.)\\s+");
    private static final Pattern INLINE = Pattern.compile("`(\\./blobshuffle [^`]+)`");

    private final String name;
    private final List<PrintedBlock> blocks;
    private final String prose;
    private final Map<String, String> replacements = new LinkedHashMap<>();
    private int next;

    private PrintedPage(String name, List<PrintedBlock> blocks, String prose) {
        this.name = name;
        this.blocks = blocks;
        this.prose = prose;
    }

    /**
     * Reads a page.
     *
     * @param name its path in the project
     */
    static PrintedPage open(String name) throws IOException {
        List<PrintedBlock> blocks = new ArrayList<>();
        String prose = new Lines(name, Files.readAllLines(ROOT.resolve(name))).split(blocks);
        return new PrintedPage(name, blocks, prose);
    }

    /** Replaces an address, a path or a name that stands for the reader's own. */
    PrintedPage replacing(String printed, String ours) {
        String all =
                prose + String.join("", blocks.stream().map(PrintedBlock::text).toList());
        assertThat(all).as(name + " prints what the test replaces").contains(printed);
        replacements.put(printed, ours);
        return this;
    }

    /**
     * The next block, which must have this language and contain this text.
     *
     * @param language after the fence; {@code ""} for an indented block: commands
     */
    PrintedBlock next(String language, String containing) {
        assertThat(next)
                .as("%s has a block '%s' with '%s'", name, language, containing)
                .isLessThan(blocks.size());
        PrintedBlock block = blocks.get(next);
        assertThat(block.language()).as(block.place()).isEqualTo(language);
        assertThat(block.text()).as(block.place()).contains(containing);
        next++;
        return block.with(replace(block.text()));
    }

    /** Passes a block over that cannot run here. */
    void leave(String language, String containing, String reason) {
        assertThat(reason).isNotBlank();
        next(language, containing);
    }

    /** A command in the text, which must contain this. */
    String inline(String containing) {
        return commands().stream()
                .filter(command -> command.contains(containing))
                .findFirst()
                .map(this::replace)
                .orElseThrow(() -> new AssertionError(name + " has no command in its text with " + containing));
    }

    /** Every block was taken, and the command line knows the commands in the text. */
    void end() {
        assertThat(blocks.subList(next, blocks.size()))
                .as("blocks of %s that the test neither runs nor leaves with a reason", name)
                .isEmpty();
        for (String command : commands()) {
            String[] words = command.substring("./blobshuffle ".length()).split(" ");
            if (!List.of("demo", "bench", "help").contains(words[0])) { // Of other programs.
                try {
                    Main.commandLine().parseArgs(words);
                } catch (ParameterException e) {
                    // A command that the text only names lacks what it needs.
                    assertThat(e).as("%s: %s", name, command).hasMessageStartingWith("Missing required");
                }
            }
        }
    }

    private List<String> commands() {
        return INLINE.matcher(prose).results().map(PrintedPage::spaced).toList();
    }

    private static String spaced(MatchResult command) {
        return command.group(1).replaceAll("\\s+", " ");
    }

    private String replace(String text) {
        String replaced = text;
        for (Map.Entry<String, String> replacement : replacements.entrySet()) {
            replaced = replaced.replace(replacement.getKey(), replacement.getValue());
        }
        return replaced;
    }

    /** The lines of a page: prose, fenced blocks and indented blocks, all of them in lists too. */
    private static final class Lines {
        private final String page;
        private final List<String> lines;
        private final StringBuilder prose = new StringBuilder();
        private int at;
        private int margin;

        Lines(String page, List<String> lines) {
            this.page = page;
            this.lines = lines;
        }

        /** Adds the blocks, and returns the rest. */
        String split(List<PrintedBlock> blocks) {
            boolean isAfterBlank = true;
            while (at < lines.size()) {
                String line = lines.get(at);
                margin = margin(line, margin);
                if (line.strip().startsWith(FENCE)) {
                    blocks.add(fenced());
                    isAfterBlank = false;
                } else if (isAfterBlank && !line.isBlank() && indent(line) >= margin + CODE_INDENT) {
                    blocks.add(indented());
                    isAfterBlank = true;
                } else {
                    prose.append(line).append('\n');
                    isAfterBlank = line.isBlank();
                    at++;
                }
            }
            return prose.toString();
        }

        private PrintedBlock fenced() {
            int begin = at;
            int indent = indent(lines.get(at));
            String language = lines.get(at).strip().substring(FENCE.length());
            StringBuilder text = new StringBuilder();
            for (at++; !lines.get(at).strip().equals(FENCE); at++) {
                text.append(cut(lines.get(at), indent)).append('\n');
            }
            at++;
            return new PrintedBlock(page, begin + 1, language, text.toString());
        }

        private PrintedBlock indented() {
            int begin = at;
            int indent = margin + CODE_INDENT;
            StringBuilder text = new StringBuilder();
            while (at < lines.size() && !lines.get(at).isBlank() && indent(lines.get(at)) >= indent) {
                text.append(cut(lines.get(at), indent)).append('\n');
                at++;
            }
            return new PrintedBlock(page, begin + 1, "", text.toString());
        }

        /** Where the text of the list's item begins that a line belongs to; 0 outside lists. */
        private static int margin(String line, int before) {
            Matcher item = ITEM.matcher(line);
            if (item.lookingAt() && indent(line) < before + CODE_INDENT) {
                return item.end();
            }
            return line.isBlank() || indent(line) >= before ? before : 0;
        }

        private static int indent(String line) {
            return line.length() - line.stripLeading().length();
        }

        private static String cut(String line, int indent) {
            return line.substring(Math.min(indent, indent(line)));
        }
    }
}
