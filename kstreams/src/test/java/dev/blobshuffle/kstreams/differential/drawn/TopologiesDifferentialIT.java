package dev.blobshuffle.kstreams.differential.drawn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.AfterFailureMode;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** A topology has the same results natively and through blobs. */
@AddLifecycleHook(TopologiesDifferentialIT.OnOlderKafka.class)
class TopologiesDifferentialIT {
    private static final int PROGRAMS = 20;

    /** The programs use exception handlers and ways to close that need Kafka 4.2. */
    static final class OnOlderKafka implements SkipExecutionHook {
        @Override
        public SkipResult shouldBeSkipped(LifecycleContext context) {
            return KafkaVersion.isOlder(KafkaVersion.present(), "4.2")
                    ? SkipResult.skip("Drawn topologies need Kafka 4.2.")
                    : SkipResult.doNotSkip();
        }
    }

    @Property(
            seed = "39",
            tries = 1,
            edgeCases = EdgeCasesMode.NONE,
            shrinking = ShrinkingMode.OFF,
            afterFailure = AfterFailureMode.SAMPLE_ONLY)
    void programsLeaveTheSame(@ForAll("programs") List<Program> programs) {
        DrawnComparison.shared().run(programs);
    }

    @Tag("nightly")
    @Property(
            edgeCases = EdgeCasesMode.NONE,
            afterFailure = AfterFailureMode.RANDOM_SEED,
            shrinking = ShrinkingMode.OFF)
    void otherProgramsLeaveTheSame(@ForAll("programs") List<Program> programs) {
        DrawnComparison.shared().run(programs);
    }

    /** The control: a few programs detect each fault of a shuffle. */
    @Tag("nightly")
    @Property(seed = "39", tries = 1, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void eachFaultIsFound(@ForAll("many") List<List<Program>> many) {
        for (Fault fault : Fault.values()) {
            int count = 0;
            boolean isFound = false;
            for (int i = 0; i < many.size() && !isFound; i++) {
                List<Program> together =
                        many.get(i).stream().map(Program::ofClassic).toList();
                count += together.size();
                isFound = !DrawnComparison.shared()
                        .differing(together, Optional.of(fault))
                        .isEmpty();
            }
            System.out.println(fault + " is found within " + count + " programs");
            assertThat(isFound).as("%s within %d programs", fault, count).isTrue();
        }
    }

    @Provide
    Arbitrary<List<List<Program>>> many() {
        return Programs.all().list().ofSize(5).list().ofSize(20);
    }

    @Provide
    Arbitrary<List<Program>> programs() {
        return Programs.all().list().ofSize(PROGRAMS);
    }
}
