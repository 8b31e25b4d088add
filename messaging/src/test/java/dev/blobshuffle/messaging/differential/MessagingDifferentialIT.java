package dev.blobshuffle.messaging.differential;

import java.util.List;
import net.jqwik.api.AfterFailureMode;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;

/** A program of calls has the results that a model of messaging has. */
class MessagingDifferentialIT {
    /** How many programs a try has. */
    private static final int PROGRAMS = 20;

    @Property(
            seed = "39",
            tries = 3,
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.BOUNDED,
            afterFailure = AfterFailureMode.SAMPLE_ONLY)
    void programsHaveTheResultsOfTheModel(@ForAll("programs") List<Program> programs) {
        Comparison.shared().run(programs);
    }

    @Tag("nightly")
    @Property(
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.BOUNDED,
            afterFailure = AfterFailureMode.RANDOM_SEED)
    void otherProgramsHaveTheResultsOfTheModel(@ForAll("programs") List<Program> programs) {
        Comparison.shared().run(programs);
    }

    @AfterContainer
    static void close() {
        Comparison.shared().close();
    }

    @Provide
    Arbitrary<List<Program>> programs() {
        // All have the full size, and a failure is shrunk to the programs that fail.
        return Programs.all()
                .list()
                .ofMinSize(1)
                .ofMaxSize(PROGRAMS)
                .withSizeDistribution((tries, least, most, center) -> random -> most);
    }
}
