package dev.blobshuffle.kstreams.differential.drawn;

import java.util.List;
import net.jqwik.api.AfterFailureMode;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/** A topology leaves the same behind natively and through blobs. */
class TopologiesDifferentialIT {
    /** How many run at the same time. */
    private static final int TOGETHER = Integer.getInteger("differential.together", 4);

    @Property(
            seed = "39",
            tries = 5,
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.OFF,
            afterFailure = AfterFailureMode.SAMPLE_ONLY)
    void programsLeaveTheSame(@ForAll("programs") List<Program> programs) {
        DrawnComparison.shared().run(programs);
    }

    @Tag("nightly")
    @Property(edgeCases = EdgeCasesMode.NONE, afterFailure = AfterFailureMode.RANDOM_SEED, shrinking = ShrinkingMode.OFF)
    void otherProgramsLeaveTheSame(@ForAll("programs") List<Program> programs) {
        DrawnComparison.shared().run(programs);
    }

    @Provide
    Arbitrary<List<Program>> programs() {
        return Programs.all().list().ofSize(TOGETHER);
    }
}
