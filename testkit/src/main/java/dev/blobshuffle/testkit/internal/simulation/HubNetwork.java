package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartAnswer.Entry;
import dev.blobshuffle.core.internal.combine.PartAnswerCodec;
import dev.blobshuffle.core.internal.combine.PartRefusedException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The network from an instance to the hubs: it loses parts and answers, repeats parts, and changes
 * answers. An instance gives a part up after 500 ms without a sign of life, as over HTTP. Guarded
 * by the simulation's baton.
 */
final class HubNetwork implements HandOver {
    private static final Duration SILENCE = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final World world;
    private final SimulatedTime time;
    private final CombiningZone zone;
    private final SimulatedProcess process;

    /** The network of a process. */
    HubNetwork(World world, CombiningZone zone, SimulatedProcess process) {
        this.world = world;
        this.zone = zone;
        this.process = process;
        time = world.time();
    }

    static byte[] copy(BlobContent content) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(content.length()));
        content.buffers().forEach(bytes::put);
        return bytes.array();
    }

    @Override
    public CompletionStage<PartAnswer> to(Member member, BlobId id, BlobContent part) {
        CompletableFuture<PartAnswer> result = new CompletableFuture<>();
        SimulatedHub hub = zone.hub(member.id()).orElseThrow();
        part.retain();
        boolean isLost = world.strikes(Fault.PART_LOST, 20);
        boolean isRepeated = world.strikes(Fault.PART_REPLAYED, 10);
        time.schedule(latency(), () -> {
            byte[] bytes = copy(part); // The sender still needs its memory.
            part.release();
            if (!isLost) {
                arrive(hub, id, bytes, result);
            }
            if (isRepeated) {
                time.schedule(latency(), () -> arrive(hub, id, bytes.clone(), new CompletableFuture<>()));
            }
        });
        watch(hub, result, isLost, time.elapsed());
        return result;
    }

    private Duration latency() {
        return Duration.ofNanos(100_000 + time.random(5_000_000));
    }

    /** Gives the part up if the hub is silent. A living hub sends signs of life. */
    private void watch(SimulatedHub hub, CompletableFuture<PartAnswer> result, boolean isLost, Duration began) {
        process.schedule(SILENCE, () -> {
            boolean isSilent = isLost || !hub.isAlive() || !hub.frozen().isZero();
            if (result.isDone()) {
                return;
            }
            if (isSilent || time.elapsed().minus(began).compareTo(LONGEST) > 0) {
                result.completeExceptionally(new StoreUnavailableException(
                        "Cannot ask a hub: no sign of life. The part is stored by itself."));
            } else {
                watch(hub, result, false, began);
            }
        });
    }

    private void arrive(SimulatedHub hub, BlobId id, byte[] bytes, CompletableFuture<PartAnswer> result) {
        if (!hub.isAlive()) {
            return;
        }
        Duration frozen = hub.frozen();
        if (!frozen.isZero()) {
            time.schedule(frozen, () -> arrive(hub, id, bytes, result));
            return;
        }
        if (!hub.hub().reserve(bytes.length)) {
            PartRefusedException full =
                    new PartRefusedException(Reason.BUSY, "Cannot combine blob " + id + ": full. It is stored.");
            answer(hub, result, null, full);
            return;
        }
        var ignored = hub.hub()
                .take(id, ByteBuffer.wrap(bytes), () -> {})
                .whenComplete((answer, failure) -> answer(hub, result, answer, failure));
    }

    private void answer(
            SimulatedHub hub,
            CompletableFuture<PartAnswer> result,
            @Nullable PartAnswer answer,
            @Nullable Throwable failure) {
        if (!hub.isAlive() || world.strikes(Fault.PART_LOST, 20)) {
            return;
        }
        PartAnswer sent = answer == null || !world.strikes(Fault.PART_MISPLACED, 10) ? answer : wrong(answer);
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        time.schedule(latency().plus(hub.frozen()), () -> {
            if (!process.isAlive()) {
                return;
            }
            if (sent != null) {
                byte[] encoded = PartAnswerCodec.encode(sent);
                result.complete(PartAnswerCodec.decode(encoded, encoded.length));
            } else {
                result.completeExceptionally(cause);
            }
        });
    }

    /** An answer as a faulty hub gives it: a wrong shift, or the places of other segments. */
    private PartAnswer wrong(PartAnswer answer) {
        List<Integer> places = new ArrayList<>(answer.places());
        List<Entry> table = new ArrayList<>(answer.table());
        switch (time.random(5)) {
            case 0 ->
                table.set(0, new Entry(table.get(0).length() + 8, table.get(0).checksum()));
            case 1 -> table.replaceAll(entry -> new Entry(entry.length(), entry.checksum() + 1));
            case 2 -> places.remove(time.random(places.size()));
            case 3 -> places.replaceAll(place -> (place + 1) % (table.size() + 1));
            default -> {
                Collections.rotate(places, 1);
                places.add(places.get(0));
            }
        }
        return new PartAnswer(answer.id(), answer.sections(), table, places);
    }
}
