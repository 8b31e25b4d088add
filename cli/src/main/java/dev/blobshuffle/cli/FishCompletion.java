package dev.blobshuffle.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Generates the completion script for fish, which picocli does not support. Stateless. */
final class FishCompletion {
    private FishCompletion() {}

    static String script(CommandLine root) {
        String name = root.getCommandName();
        List<String> paths = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        collect(root, "", paths, lines);
        return "# fish completion for " + name + "\n"
                + "function __" + name + "_at --description 'whether the words so far are this command'\n"
                + "    set -l paths "
                + paths.stream().map(FishCompletion::quoted).collect(Collectors.joining(" "))
                + "\n"
                + "    set -l path ''\n"
                + "    for word in (commandline -opc)[2..-1]\n"
                + "        if contains -- (string trim -- \"$path $word\") $paths\n"
                + "            set path (string trim -- \"$path $word\")\n"
                + "        end\n"
                + "    end\n"
                + "    test \"$path\" = \"$argv[1]\"\n"
                + "end\n"
                + "complete -c " + name + " -f\n"
                + lines;
    }

    private static void collect(CommandLine command, String path, List<String> paths, StringBuilder lines) {
        String at = "complete -c " + command.getCommandSpec().root().name() + " -n \"__"
                + command.getCommandSpec().root().name() + "_at " + quoted(path) + "\"";
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                lines.append(at).append(option(option)).append('\n');
            }
        }
        for (Map.Entry<String, CommandLine> each : command.getSubcommands().entrySet()) {
            CommandLine below = each.getValue();
            if (below.getCommandSpec().usageMessage().hidden()) {
                continue;
            }
            lines.append(at)
                    .append(" -a ")
                    .append(each.getKey())
                    .append(description(below.getCommandSpec().usageMessage().description()))
                    .append('\n');
            String longer = (path + " " + each.getKey()).strip();
            paths.add(longer);
            collect(below, longer, paths, lines);
        }
    }

    private static String option(OptionSpec option) {
        StringBuilder text = new StringBuilder();
        for (String name : option.names()) {
            text.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        if (option.arity().max() > 0) {
            Iterable<String> candidates = option.completionCandidates();
            if (option.auxiliaryTypes()[0] == Path.class) {
                text.append(" -rF");
            } else if (candidates != null) {
                text.append(" -xa ")
                        .append(quoted(StreamSupport.stream(candidates.spliterator(), false)
                                .collect(Collectors.joining(" "))));
            } else {
                text.append(" -x");
            }
        }
        return text.append(description(option.description())).toString();
    }

    /** The first sentence of a description, because fish shows one line. */
    private static String description(String[] lines) {
        if (lines.length == 0) {
            return "";
        }
        String first = lines[0].replaceAll("%n", " ").replaceAll("\\$\\{[^}]*}", "…");
        int end = first.indexOf(". ");
        return " -d " + quoted(end < 0 ? first : first.substring(0, end + 1));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
