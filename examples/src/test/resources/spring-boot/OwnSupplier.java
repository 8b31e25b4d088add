package example;

import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.StreamsBuilderFactoryBeanConfigurer;

/** Says when it makes a producer. Passed to the factory bean only with own.supplier. */
public class OwnSupplier extends DefaultKafkaClientSupplier {
    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        System.out.println("OwnSupplier makes a producer");
        return super.getProducer(config);
    }

    @Configuration
    @ConditionalOnProperty("own.supplier")
    static class Passed {
        @Bean
        KafkaClientSupplier ownSupplier() {
            return new OwnSupplier();
        }

        @Bean
        StreamsBuilderFactoryBeanConfigurer ownSupplierConfigurer(KafkaClientSupplier own) {
            return factory -> factory.setClientSupplier(own);
        }
    }
}
