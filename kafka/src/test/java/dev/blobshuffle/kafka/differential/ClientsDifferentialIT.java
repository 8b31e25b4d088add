package dev.blobshuffle.kafka.differential;

import java.util.List;
import net.jqwik.api.AfterFailureMode;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;

/** A program of calls has the same results with Kafka's clients and with the blob clients. */
class ClientsDifferentialIT {
    /** Number of programs per try. The next try waits for the slowest of them. */
    private static final int PROGRAMS = 20;

    private static final int MANY_PROGRAMS = 100;

    @Property(
            seed = "39",
            tries = 1,
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.OFF,
            afterFailure = AfterFailureMode.SAMPLE_ONLY)
    void programsHaveTheSameResults(@ForAll("programs") List<Program> programs) {
        Comparison.shared().run(programs);
    }

    /** Programs draw few of the rare calls, so each is in one of these. */
    @Example
    void everyRareCallHasTheSameResult() {
        Draft draft = new Draft(0, 5, 10, 1, Draft.Time.FIRST);
        Setup setup = new Setup(
                2,
                Setup.Membership.ASSIGNED,
                Setup.Isolation.READ_COMMITTED,
                Setup.Reset.EARLIEST,
                500,
                Setup.Timestamps.CREATE_TIME,
                Setup.Batching.LARGE,
                new Setup.Habits(Setup.Listening.NONE, Setup.Subscribing.TOPIC, false));
        Comparison.shared()
                .run(OddCall.drawn().stream()
                        .map(call -> new Program(
                                setup, List.of(new Step.Send(false, draft), new Step.Odd(call), new Step.ReadAll())))
                        .toList());
    }

    @Tag("nightly")
    @Property(
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.BOUNDED,
            afterFailure = AfterFailureMode.RANDOM_SEED)
    void otherProgramsHaveTheSameResults(@ForAll("manyPrograms") List<Program> programs) {
        Comparison.shared().run(programs);
    }

    @AfterContainer
    static void close() {
        Comparison.closeShared();
    }

    @Provide
    Arbitrary<List<Program>> programs() {
        return programs(PROGRAMS);
    }

    @Provide
    Arbitrary<List<Program>> manyPrograms() {
        return programs(MANY_PROGRAMS);
    }

    /** All tries have the full size; a failure is shrunk to the failing programs. */
    private static Arbitrary<List<Program>> programs(int count) {
        return Programs.all()
                .list()
                .ofMinSize(1)
                .ofMaxSize(count)
                .withSizeDistribution((tries, least, most, center) -> random -> most);
    }
}
