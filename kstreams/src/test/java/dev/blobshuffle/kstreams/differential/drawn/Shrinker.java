package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.drawn.Program.Draft;
import dev.blobshuffle.kstreams.differential.drawn.Program.Event;
import dev.blobshuffle.kstreams.differential.drawn.Program.Flow;
import dev.blobshuffle.kstreams.differential.drawn.Program.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Reduces a failing program as long as it still fails. */
final class Shrinker {
    private Shrinker() {}

    /**
     * A smaller program that fails.
     *
     * @param attempts the most programs to run
     */
    static Program shrunk(Program program, Predicate<Program> fails, int attempts) {
        Program smallest = program;
        int left = attempts;
        boolean isSmaller = true;
        while (isSmaller) {
            isSmaller = false;
            for (Program candidate : smaller(smallest)) {
                if (left-- <= 0) {
                    return smallest;
                }
                if (fails.test(candidate)) {
                    smallest = candidate;
                    isSmaller = true;
                    break;
                }
            }
        }
        return smallest;
    }

    /** Programs with one part less; the largest reductions come first. */
    private static List<Program> smaller(Program program) {
        List<Program> all = new ArrayList<>();
        if (program.flows().size() > 1) {
            without(program.flows()).forEach(flows -> all.add(new Program(program.setup(), flows, program.phases())));
        }
        without(program.phases()).forEach(phases -> all.add(new Program(program.setup(), program.flows(), phases)));
        each(program.flows(), flow -> without(flow.ops()).map(Flow::new))
                .forEach(flows -> all.add(new Program(program.setup(), flows, program.phases())));
        each(program.phases(), Shrinker::smaller)
                .forEach(phases -> all.add(new Program(program.setup(), program.flows(), phases)));
        return all;
    }

    private static Stream<Phase> smaller(Phase phase) {
        List<Draft> records = phase.records();
        int half = records.size() / 2;
        Stream<Phase> calm =
                phase.event() == Event.NONE ? Stream.empty() : Stream.of(new Phase(phase.topic(), records, Event.NONE));
        return half == 0
                ? calm
                : Stream.concat(
                        calm,
                        Stream.of(
                                new Phase(phase.topic(), records.subList(0, half), phase.event()),
                                new Phase(phase.topic(), records.subList(half, records.size()), phase.event())));
    }

    private static <T> Stream<List<T>> without(List<T> list) {
        return each(list, element -> Stream.of(List.<T>of()), List::addAll);
    }

    private static <T> Stream<List<T>> each(List<T> list, Function<T, Stream<T>> smaller) {
        return each(list, smaller, List::add);
    }

    private interface Adding<T, R> {
        boolean add(List<T> list, R more);
    }

    /** Copies of a list, each with one element replaced. */
    private static <T, R> Stream<List<T>> each(List<T> list, Function<T, Stream<R>> others, Adding<T, R> adding) {
        return Stream.iterate(0, i -> i < list.size(), i -> i + 1)
                .flatMap(i -> others.apply(list.get(i)).map(other -> {
                    List<T> copy = new ArrayList<>(list.subList(0, i));
                    adding.add(copy, other);
                    copy.addAll(list.subList(i + 1, list.size()));
                    return copy;
                }));
    }
}
