package dev.blobshuffle.spark.internal.shim;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/**
 * Makes Spark's external sorters. From Spark 4.1 on their constructor has a sixth parameter, an
 * array of row checksums; a reader has none. Stateless.
 */
public final class Sorters {
    private static final int PARAMETERS_BEFORE_4_1 = 5;

    private Sorters() {}

    /** A sorter of one partition. */
    public static <K, V, C> ExternalSorter<K, V, C> of(
            TaskContext context,
            Option<Aggregator<K, V, C>> aggregator,
            Option<Ordering<K>> ordering,
            Serializer serializer) {
        Option<Partitioner> none = Option.empty();
        return make(ExternalSorter.class, context, aggregator, none, ordering, serializer);
    }

    /** Calls the only constructor of a class, with an empty array if it wants one more argument. */
    static <T> T make(Class<?> type, Object... arguments) {
        Constructor<?> constructor = type.getConstructors()[0];
        List<Object> all = new ArrayList<>(Arrays.asList(arguments));
        Class<?>[] parameters = constructor.getParameterTypes();
        if (parameters.length > PARAMETERS_BEFORE_4_1) {
            all.add(Array.newInstance(parameters[PARAMETERS_BEFORE_4_1].getComponentType(), 0));
        }
        try {
            @SuppressWarnings("unchecked") // The caller names the class.
            T made = (T) constructor.newInstance(all.toArray());
            return made;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "Cannot sort a shuffle: " + type.getName() + " is not that of a supported Spark. "
                            + "Use a release that docs/compatibility.md lists.",
                    e);
        }
    }
}
