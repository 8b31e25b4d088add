package dev.blobshuffle.kafka.internal.log;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes brokers set the timestamps of records in our own topics ({@code LogAppendTime}). With
 * timestamps from the writers, a broker would refuse records of an instance whose clock is more
 * than an hour ahead, and would compare the clocks of different machines. Stateless.
 */
public final class BrokerTime {
    /** The setting of new topics. */
    public static final Map.Entry<String, String> SETTING =
            Map.entry(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");

    private static final Logger LOG = LoggerFactory.getLogger(BrokerTime.class);

    private BrokerTime() {}

    /**
     * Alters a topic that has its writers' timestamps. Waits for the brokers. If the principal may
     * not alter the topic, nothing changes.
     *
     * @return whether the topic was altered
     */
    public static boolean ensure(Admin admin, String topic) throws InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Config settings;
        try {
            settings = admin.describeConfigs(List.of(resource)).all().get().get(resource);
        } catch (ExecutionException e) {
            LOG.debug("The settings of topic {} are unknown.", topic, e.getCause());
            return false;
        }
        ConfigEntry present = settings == null ? null : settings.get(SETTING.getKey());
        if (present == null || SETTING.getValue().equals(present.value())) {
            return false;
        }
        AlterConfigOp set =
                new AlterConfigOp(new ConfigEntry(SETTING.getKey(), SETTING.getValue()), AlterConfigOp.OpType.SET);
        try {
            admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all().get();
            return true;
        } catch (ExecutionException e) {
            LOG.warn(
                    "Topic {} keeps the times of its writers, and this application may not change that ({}). An instance"
                            + " whose clock is more than an hour ahead cannot write to it. Set its {} to {}.",
                    topic,
                    String.valueOf(e.getCause()),
                    SETTING.getKey(),
                    SETTING.getValue());
            return false;
        }
    }
}
