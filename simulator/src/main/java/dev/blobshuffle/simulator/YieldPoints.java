package dev.blobshuffle.simulator;

/**
 * The methods that woven classes call before each access of a volatile field, an atomic or a
 * variable handle, and instead of entering and leaving monitors. In an interleaved simulation
 * ({@link SimulatedTime#interleaved}) the thread may lose its processor there; anywhere else
 * nothing happens, and monitors are free. Production code is never woven. Thread-safe.
 */
public final class YieldPoints {
    private YieldPoints() {}

    /** Before a volatile read. */
    public static void point() {
        Activity activity = Interleaving.activity();
        if (activity != null) {
            Interleaving.of(activity).point(activity);
        }
    }

    /** Before an atomic operation or a volatile write. */
    public static void fence() {
        Activity activity = Interleaving.activity();
        if (activity != null) {
            Interleaving.of(activity).fence(activity);
        }
    }

    /** Before a relaxed store. */
    public static void relaxedStore() {
        Activity activity = Interleaving.activity();
        if (activity != null) {
            Interleaving.of(activity).relaxedStore(activity);
        }
    }

    /** Instead of spinning. */
    public static void spin() {
        Activity activity = Interleaving.activity();
        if (activity != null) {
            Interleaving.of(activity).spin(activity);
        }
    }

    /** Instead of entering a monitor. */
    public static void enter(Object monitor) {
        Activity activity = Interleaving.activity();
        if (activity != null) {
            Interleaving.of(activity).enter(activity, monitor);
        }
    }

    /** Instead of leaving a monitor. */
    public static void exit(Object monitor) {
        Activity activity = Interleaving.activity();
        if (activity != null) {
            Interleaving.of(activity).exit(activity, monitor);
        }
    }

    /** After a volatile flag was read. @return the value that the reader sees */
    public static boolean read(Object owner, boolean value, String name) {
        Activity activity = Interleaving.activity();
        return activity == null ? value : Interleaving.of(activity).read(activity, owner, name, value);
    }

    /** Before a volatile flag is written. */
    public static void write(Object owner, boolean value, String name) {
        Activity activity = Interleaving.activity();
        if (activity != null) {
            Interleaving.of(activity).write(activity, owner, name, value);
        }
    }
}
