package dev.blobshuffle.spark.internal;

import dev.blobshuffle.spark.internal.settings.Contradictions;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.BoxedUnit;

/**
 * Warns that an application has settings of ours, but not the plug-in. Then Spark runs no code of
 * ours but this: it looks for such classes when it makes a session, and this one adds nothing to
 * the session. PySpark 3.5 does not look. Stateless.
 */
public final class MissingPlugin implements SparkSessionExtensionsProvider {
    private static final Logger LOG = LoggerFactory.getLogger(MissingPlugin.class);

    /** Spark calls it. */
    public MissingPlugin() {}

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        SparkEnv running = SparkEnv.get();
        List<String> inVain = running == null ? List.of() : Contradictions.settingsInVain(running.conf());
        if (!inVain.isEmpty()) {
            LOG.warn("{}", Contradictions.warning(inVain));
        }
        return BoxedUnit.UNIT;
    }
}
