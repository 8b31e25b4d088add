package dev.blobshuffle.bench.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExpressionTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void writeResults() throws IOException {
        Files.writeString(directory.resolve("runs.json"), """
                {"seconds": 60, "list": [7, 8], "runs": [
                 {"variant": "a", "repetition": 0, "cpu": {"all": 10}, "steady": true},
                 {"variant": "b", "repetition": 1, "cpu": {"all": 9}, "steady": true},
                 {"variant": "a", "repetition": 1, "cpu": {"all": 30}, "steady": false},
                 {"variant": "b", "repetition": 0, "cpu": {"all": 5}, "steady": true}]}
                """);
        Files.writeString(directory.resolve("rows.json"), "[{\"name\": \"x\", \"rate\": 3}]");
    }

    private Expression expression(String text) {
        return new Expression(new KeptFiles(directory), "runs.json", text);
    }

    private List<Double> numbers(String text) {
        return expression(text).numbers();
    }

    @Test
    void pathsLeadToNumbers() {
        assertThat(numbers("seconds / 2 - 1")).containsExactly(29.0);
        assertThat(numbers("list[1]")).containsExactly(8.0);
        assertThat(numbers("runs[variant=b,repetition=0].cpu.all")).containsExactly(5.0);
        assertThat(numbers("rows.json#[name=x].rate; 2 * (1 + 1)")).containsExactly(3.0, 4.0);
        assertThat(numbers("count(runs[cpu.all>9].repetition)")).containsExactly(2.0);
    }

    @Test
    void ratiosAreThoseWithinARepetition() {
        assertThat(numbers("spread(runs[variant=b].cpu.all / runs[variant=a].cpu.all)"))
                .containsExactly(0.4, 0.3, 0.5);
    }

    @Test
    void functionsTakeSeveralLists() {
        assertThat(numbers("range(runs[variant=a].cpu.all, seconds)")).containsExactly(10.0, 60.0);
    }

    @Test
    void oneUnsteadyRunMakesANumberUnsteady() {
        Expression steady = expression("median(runs[variant=b].cpu.all)");
        Expression unsteady = expression("median(runs[variant=a].cpu.all)");
        steady.numbers();
        unsteady.numbers();

        assertThat(steady.isSteady()).isTrue();
        assertThat(unsteady.isSteady()).isFalse();
    }

    @Test
    void whatIsNoNumberIsRefused() {
        assertThatThrownBy(() -> numbers("runs[variant=c].cpu.all")).hasMessageContaining("0 numbers where one");
        assertThatThrownBy(() -> numbers("median(runs[variant=c].cpu.all)")).hasMessageContaining("no number");
        assertThatThrownBy(() -> numbers("runs[variant=a].cpu.all")).hasMessageContaining("2 numbers where one");
        assertThatThrownBy(() -> numbers("hours")).hasMessageContaining("no number at hours");
        assertThatThrownBy(() -> numbers("absent.json#hours")).hasMessageContaining("there is no result absent.json");
        assertThatThrownBy(() -> numbers("mode(seconds)")).hasMessageContaining("there is no function mode");
        assertThatThrownBy(() -> numbers("seconds seconds")).hasMessageContaining("unexpected text");
    }
}
