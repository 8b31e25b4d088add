package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings of a store and of the requests to it. */
public final class StoreSettings implements SettingGroup {
    /** URI of the store. */
    public static final Setting<Optional<String>> STORE = Setting.text(
            "store",
            "required",
            "URI of the store where blobs are kept, the same in every instance: `s3://bucket/prefix?region=…` and other [object stores](stores.md), `file:///dir`, several directories as `file:///disk1/blobs,/disk2/blobs`,"
                    + " `two-speed:fast=URI,durable=URI` for [two speeds](guides/two-speed.md),"
                    + " or `memory://name` for tests in one process; a file store takes `?fsync=none` if blobs need not survive the end of the machine.");

    /** Time limit of a request. */
    public static final Setting<Duration> REQUEST_TIMEOUT = Setting.millis(
            "store.request.timeout.ms",
            1,
            15_000,
            "Upper limit for the timeout of one request to the store, after which it is retried. In "
                    + "practice the timeout is about four times the p99 latency.");

    /** Hedging. */
    public static final Setting<Boolean> HEDGE_ENABLED = Setting.flag(
            "store.hedge.enabled",
            true,
            "Whether to send a request to an object store a second time if it takes longer than 95 % of "
                    + "similar requests. Hedging shortens the latency tail and adds at most 5 % requests.");

    /** Prices. */
    public static final Setting<Optional<String>> PRICES = Setting.text(
            "store.prices",
            "by the store's URI: list prices (us-east) of S3 Standard, of S3 Express One Zone (buckets `…--x-s3`), Cloudflare R2, Google Cloud, Azure; none with any other `endpoint`",
            "Prices of requests and traffic, for `inline.max.bytes` and the cost metrics: the name of a "
                    + "table (`aws`, `aws-s3-express`, `gcp`, `azure`, `r2`, `self-hosted`) or a file ([own "
                    + "prices](guides/planner.md#own-prices)).");

    @Override
    public String title() {
        return "Store";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(STORE, REQUEST_TIMEOUT, HEDGE_ENABLED, PRICES);
    }

    /**
     * The store's URI.
     *
     * @throws InvalidSettingsException fatal: the setting is missing
     */
    public static String uri(Settings settings) {
        return settings.value(STORE)
                .orElseThrow(
                        () -> new InvalidSettingsException(
                                "Cannot start: setting " + STORE
                                        + " is missing. Give the URI of a store that all instances share, for example file:///var/lib/blobs."));
    }
}
