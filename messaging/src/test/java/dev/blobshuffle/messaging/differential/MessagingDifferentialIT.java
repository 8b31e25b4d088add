package dev.blobshuffle.messaging.differential;

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
    @Property(
            seed = "39",
            tries = 60,
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.BOUNDED,
            afterFailure = AfterFailureMode.SAMPLE_ONLY)
    void programsHaveTheResultsOfTheModel(@ForAll("programs") Program program) {
        Comparison.shared().run(program);
    }

    @Tag("nightly")
    @Property(
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.BOUNDED,
            afterFailure = AfterFailureMode.RANDOM_SEED)
    void otherProgramsHaveTheResultsOfTheModel(@ForAll("programs") Program program) {
        Comparison.shared().run(program);
    }

    @AfterContainer
    static void close() {
        Comparison.shared().close();
    }

    @Provide
    Arbitrary<Program> programs() {
        return Programs.all();
    }
}
