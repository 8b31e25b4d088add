package dev.blobshuffle.kstreams.differential.drawn;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An application and the events of its run.
 *
 * @param flows the independent parts of its topology
 * @param phases its input; each phase passes through the topology before the next one starts
 */
record Program(Setup setup, List<Flow> flows, List<Phase> phases) {
    /**
     * One stream of the topology: a source topic of its own, operators, and a sink.
     *
     * @param ops the operators, in order
     */
    record Flow(List<Op> ops) {
        boolean has(Class<? extends Op> type) {
            return ops.stream()
                    .anyMatch(op -> type.isInstance(op) || op.others().stream().anyMatch(other -> other.has(type)));
        }

        @Override
        public String toString() {
            return "source " + ops + " sink";
        }
    }

    /**
     * Records for one source topic.
     *
     * @param topic a number; the topology has at most that many topics
     * @param event happens to the instances during the phase
     */
    record Phase(int topic, List<Draft> records, Event event) {}

    /** An event of the instances in the middle of a phase. */
    enum Event {
        NONE,
        /** Another instance starts. */
        START,
        /** One of several instances stops properly. */
        STOP,
        /** All instances stop and start again with the other guarantee. */
        RESTART,
        /** All instances start again after Kafka's reset tool, and read their input again. */
        RESET,
        /** All instances pause while records arrive. */
        PAUSE,
        /** An instance gets another thread. */
        ADD_THREAD,
        /** An instance of several threads loses one. */
        REMOVE_THREAD;

        /** Whether tasks may move to another thread. */
        boolean isMoving() {
            return this != NONE && this != PAUSE;
        }
    }

    /**
     * A record of the input.
     *
     * @param key a number, or negative for none
     * @param letter the first letter of the value, the new key of rekeyed streams; '0' for no value
     * @param offset its time, in milliseconds after the time that follows from its number
     */
    record Draft(int key, char letter, int offset, Set<Header> headers) {}

    /** A header of an input record. */
    enum Header {
        TEXT,
        EMPTY,
        NULL,
        REPEATED
    }

    /** Whether tasks may move during the input, so that natively stream time may restart. */
    boolean hasMotion() {
        return setup.instances() * setup.threads() > 1
                || phases.stream().anyMatch(phase -> phase.event().isMoving())
                || hasCrash();
    }

    /** Whether a thread dies and is replaced. */
    boolean hasCrash() {
        return isAlwaysExactlyOnce() && flows.stream().anyMatch(flow -> flow.has(Op.FailOnce.class));
    }

    /** Whether the guarantee is exactly-once during all of the run. */
    boolean isAlwaysExactlyOnce() {
        return setup.isExactlyOnce() && !changesGuarantee();
    }

    /** Whether the guarantee is exactly-once during a part of the run. */
    boolean isEverExactlyOnce() {
        return setup.isExactlyOnce() || changesGuarantee();
    }

    private boolean changesGuarantee() {
        return phases.stream().anyMatch(phase -> phase.event() == Event.RESTART);
    }

    /** This program in a classic group, whose consumers come from a supplier. */
    Program ofClassic() {
        return new Program(setup.ofClassic(), flows, phases);
    }

    @Override
    public String toString() {
        return setup + "\n"
                + flows.stream().map(flow -> "  " + flow + "\n").collect(Collectors.joining())
                + phases.stream().map(phase -> "  " + phase + "\n").collect(Collectors.joining());
    }
}
