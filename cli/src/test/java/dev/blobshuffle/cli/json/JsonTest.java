package dev.blobshuffle.cli.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void aLineHasNoLineEndInside() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("a", List.of(1, Map.of("b", "x\ny")));
        value.put("c", true);

        assertThat(Json.line(value)).isEqualTo("{\"a\": [1,{\"b\": \"x\\ny\"}],\"c\": true}\n");
    }

    @Test
    void aDocumentIsIndented() {
        assertThat(Json.write(Map.of("a", List.of(1, 2)))).isEqualTo("{\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
    }

    @Test
    void numbersHaveTheDecimalsThatMatter() {
        assertThat(Json.line(List.of(1.0, 0.1234567, 12.3456, -0.0, 1e15, Double.NaN, 1L << 60)))
                .isEqualTo("[1,0.123457,12.346,-0,1000000000000000,null,1152921504606846976]\n");
    }

    @Test
    void emptyValuesStayShort() {
        assertThat(Json.write(Map.of("a", List.of()))).isEqualTo("{\n  \"a\": []\n}\n");
        assertThat(Json.write(Map.of())).isEqualTo("{}\n");
    }
}
