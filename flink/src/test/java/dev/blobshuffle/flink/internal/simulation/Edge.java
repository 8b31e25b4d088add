package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.jspecify.annotations.Nullable;

/**
 * The network from one subtask to another: elements in order, and room for some. An unaligned
 * barrier takes its place in the order and is announced beside it, so what is before it in the
 * queue has been overtaken. Guarded by the simulation's baton.
 */
final class Edge {
    private static final Duration LONG = Duration.ofHours(2);

    private final Time time;
    private final int capacity;
    private final Signal room;
    private final Signal arrived;
    private final Deque<Sent> queue = new ArrayDeque<>();
    private long sent;
    private long barrierAt;
    private long barrierOf;
    private @Nullable Capture capture;

    /** An element, and its place in the order. */
    private record Sent(long number, Object element) {}

    /** The barrier of a checkpoint. */
    record Barrier(long checkpoint, long timestamp, CheckpointOptions options) {}

    /** Behind the last element of a bounded input. */
    enum End {
        /** The only one. */
        OF_INPUT
    }

    /** What an unaligned checkpoint takes of an edge. */
    private record Capture(long checkpoint, List<Object> elements, Runnable whenComplete) {}

    /**
     * An empty edge.
     *
     * @param arrived is raised when there is something to receive
     */
    Edge(Time time, int capacity, Signal arrived) {
        this.time = time;
        this.capacity = capacity;
        this.arrived = arrived;
        room = time.signal();
    }

    /** Sends an element. Waits for room. */
    void send(Object element) {
        while (queue.size() >= capacity) {
            long seen = room.count();
            try {
                boolean ignored = room.await(seen, time.nanos() + LONG.toNanos());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        add(element);
    }

    /** Sends what a checkpoint held. Called before the subtasks start. */
    void restore(List<Object> elements) {
        elements.forEach(this::add);
    }

    private void add(Object element) {
        queue.add(new Sent(sent++, element));
        Capture open = capture;
        if (open != null && isData(element)) {
            open.elements().add(element);
        }
        arrived.raise();
    }

    /** Sends a barrier, which needs no room. */
    void sendBarrier(Barrier barrier) {
        barrierOf = barrier.checkpoint();
        barrierAt = sent;
        queue.add(new Sent(sent++, barrier));
        Capture open = capture;
        capture = null;
        if (open != null && open.checkpoint() == barrierOf) {
            open.whenComplete().run();
        }
        arrived.raise();
    }

    /**
     * Takes what was sent before the barrier of a checkpoint and not received: now, and until the
     * barrier is sent.
     */
    void capture(long checkpoint, List<Object> elements, Runnable whenComplete) {
        boolean hasBarrier = barrierOf == checkpoint;
        for (Sent each : queue) {
            if (isData(each.element()) && !(hasBarrier && each.number() > barrierAt)) {
                elements.add(each.element());
            }
        }
        capture = hasBarrier ? null : new Capture(checkpoint, elements, whenComplete);
        if (hasBarrier) {
            whenComplete.run();
        }
    }

    /** Events are no part of a checkpoint: barriers, and the end, which the sender sends again. */
    private static boolean isData(Object element) {
        return !(element instanceof Barrier) && element != End.OF_INPUT;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** The next element. */
    Object receive() {
        room.raise();
        return queue.remove().element();
    }

    static List<Object> list() {
        return new ArrayList<>();
    }
}
