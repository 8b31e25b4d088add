package dev.blobshuffle.kafka.differential;

import net.jqwik.api.AfterFailureMode;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;

/** A program of calls has the same results through Kafka's clients and through those of blobs. */
class ClientsDifferentialIT {
    @Property(
            seed = "39",
            tries = 20,
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.OFF,
            afterFailure = AfterFailureMode.SAMPLE_ONLY)
    void programsHaveTheSameResults(@ForAll("programs") Program program) {
        Comparison.shared().run(program);
    }

    @Tag("nightly")
    @Property(edgeCases = EdgeCasesMode.NONE, afterFailure = AfterFailureMode.RANDOM_SEED)
    void otherProgramsHaveTheSameResults(@ForAll("programs") Program program) {
        Comparison.shared().run(program);
    }

    @AfterContainer
    static void close() {
        Comparison.closeShared();
    }

    @Provide
    Arbitrary<Program> programs() {
        return Programs.all();
    }
}
