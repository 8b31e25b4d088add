package dev.blobshuffle.messaging.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
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

/** A program of calls has the results that the model of messaging predicts. */
class MessagingDifferentialIT {
    /** Number of programs per try. The next try waits for the slowest of them. */
    private static final int PROGRAMS = 20;

    private static final int MANY_PROGRAMS = 100;

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
    void otherProgramsHaveTheResultsOfTheModel(@ForAll("manyPrograms") List<Program> programs) {
        Comparison.shared().run(programs);
    }

    /** The control: a few programs detect each fault. */
    @Tag("nightly")
    @Property(seed = "39", tries = 1, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void eachFaultIsFound(@ForAll("many") List<List<Program>> many) {
        for (Fault fault : EnumSet.complementOf(EnumSet.of(Fault.NONE))) {
            int count = 0;
            boolean isFound = false;
            for (int i = 0; i < many.size() && !isFound; i++) {
                count += many.get(i).size();
                isFound = !Comparison.shared().differences(many.get(i), fault).isEmpty();
            }
            System.out.println(fault + " is found within " + count + " programs");
            assertThat(isFound).as("%s within %d programs", fault, count).isTrue();
        }
    }

    @Provide
    Arbitrary<List<List<Program>>> many() {
        return Programs.all().list().ofSize(6).list().ofSize(20);
    }

    @AfterContainer
    static void close() {
        Comparison.shared().close();
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
