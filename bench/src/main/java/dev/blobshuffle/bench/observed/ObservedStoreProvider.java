package dev.blobshuffle.bench.observed;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreParameter;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@code bench:///?store=URI&faults=N}: the store of another URI, whose requests are timed in
 * {@link StoreLatencies#OF_THIS_PROCESS}. With faults, N of a thousand puts and gets fail before or
 * after their effect, are throttled, or are answered with damaged bytes. Public for the service
 * loader. Stateless.
 */
public final class ObservedStoreProvider implements BlobStoreProvider {
    private static final String SCHEME = "bench";
    private static final Duration MOST_DELAY = Duration.ofMillis(100);

    /**
     * Number of first requests without faults: the put, the get and the delete that check a store
     * when it is opened. An instance that cannot start measures nothing.
     */
    private static final int CHECKS = 3;

    private static final List<StoreFault.Kind> KINDS = List.of(
            StoreFault.Kind.FAIL_BEFORE,
            StoreFault.Kind.FAIL_AFTER,
            StoreFault.Kind.THROTTLE,
            StoreFault.Kind.TRUNCATE,
            StoreFault.Kind.FLIP);

    /** For the service loader. */
    public ObservedStoreProvider() {}

    /**
     * The URI of an observed store.
     *
     * @param store the URI of the store itself
     * @param faultsPerThousand number of faulty requests in a thousand
     */
    public static String uri(String store, long faultsPerThousand) {
        return SCHEME + ":///?store=" + URLEncoder.encode(store, StandardCharsets.UTF_8) + "&faults="
                + faultsPerThousand;
    }

    private static final List<StoreParameter> PARAMETERS = List.of(
            new StoreParameter("store", "required", "the store that is observed"),
            new StoreParameter("faults", "0", "requests that fail, of 1000"));

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public List<StoreParameter> parameters() {
        return PARAMETERS;
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        uri.requireKnown(PARAMETERS);
        String inner = uri.parameter("store").orElseThrow(() -> invalid("it names no store"));
        int faults = faults(uri.parameter("faults").orElse("0"));
        BlobStore plain = BlobStores.openUnchecked(inner, context);
        BlobStore store =
                faults == 0 ? plain : new FaultyBlobStore(plain, context.time(), plan(context.time(), faults));
        return new ObservedBlobStore(store, StoreLatencies.OF_THIS_PROCESS, context.time());
    }

    private static int faults(String text) {
        try {
            int faults = Integer.parseInt(text);
            if (faults >= 0 && faults < 1000) {
                return faults;
            }
        } catch (NumberFormatException e) {
            throw invalid("faults is '" + text + "'");
        }
        throw invalid("faults is " + text);
    }

    private static InvalidSettingsException invalid(String reason) {
        return new InvalidSettingsException("Cannot observe a store: " + reason
                + ". Give bench:///?store=URI&faults=N, the URI encoded, N of a thousand requests from 0 to 999.");
    }

    private static FaultPlan plan(Time time, int perThousand) {
        AtomicInteger requests = new AtomicInteger();
        FaultPlan random = FaultPlan.random(time, perThousand, MOST_DELAY, KINDS);
        return request -> requests.getAndIncrement() < CHECKS ? StoreFault.NONE : random.next(request);
    }
}
