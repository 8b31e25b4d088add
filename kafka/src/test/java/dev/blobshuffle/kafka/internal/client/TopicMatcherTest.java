package dev.blobshuffle.kafka.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicMatcherTest {
    private final TopicMatcher streams = TopicMatcher.repartitionTopics("app.1", List.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "app.1-KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition",
                "app.1-by-word-repartition",
                "app.1-join-subscription-registration-topic",
                "app.1-join-subscription-response-topic",
                "app.1-KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000006-topic",
                "app.1-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000014-topic"
            })
    void internalTopicsOfKafkaStreamsMatch(String topic) {
        assertThat(streams.matches(topic)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "app.1-store-changelog",
                "app11-by-word-repartition",
                "other-by-word-repartition",
                "input",
                "app.1-topic",
                "app.1-KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-0000000010-changelog"
            })
    void otherTopicsDoNot(String topic) {
        assertThat(streams.matches(topic)).isFalse();
    }

    @Test
    void excludedTopicsStayNative() {
        TopicMatcher matcher = TopicMatcher.repartitionTopics("app", List.of(".*small.*"));

        assertThat(matcher.matches("app-small-repartition")).isFalse();
        assertThat(matcher.matches("app-large-repartition")).isTrue();
    }

    @Test
    void patternThatAsksForAChangelogIsRefused() {
        assertThatThrownBy(() -> TopicMatcher.of(List.of("app-.*-changelog"), List.of()))
                .isInstanceOf(InvalidSettingsException.class);
        assertThatThrownBy(() -> TopicMatcher.of(List.of("app-.*"), List.of()).matches("app-store-changelog"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("topics.exclude");
        assertThat(TopicMatcher.of(List.of("app-.*"), List.of(".*-changelog")).matches("app-store-changelog"))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "app-.*(?<!-changelog)",
                "app-(?!.*-changelog).*",
                "app-(x-changelog|orders)",
                "app-.*-changelogs"
            })
    void patternThatMentionsChangelogsButMatchesOthersIsAccepted(String pattern) {
        TopicMatcher matcher = TopicMatcher.of(List.of(pattern), List.of());

        assertThat(matcher.matches(pattern.endsWith("s") ? "app-my-changelogs" : "app-orders"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"app-store-changelog", ".*-changelog$", "\\Qapp\\E-.+-changelog"})
    void patternForChangelogsOnlyIsRefusedBeforeAnyTopicIsSeen(String pattern) {
        assertThatThrownBy(() -> TopicMatcher.of(List.of(pattern), List.of()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(pattern);
    }

    @Test
    void refusingMatcherThrowsForItsTopicsOnly() {
        TopicMatcher matcher = TopicMatcher.of(List.of("a.*"), List.of())
                .refusing(topic -> new InvalidSettingsException("not here: " + topic));

        assertThat(matcher.matches("b")).isFalse();
        assertThatThrownBy(() -> matcher.matches("a1"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("not here: a1");
    }

    @Test
    void malformedPatternIsNamed() {
        assertThatThrownBy(() -> TopicMatcher.of(List.of("a("), List.of()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("'a('");
    }
}
