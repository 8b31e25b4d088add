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

        assertThat(Json.line(value)).isEqualTo("{\"a\": [1,{\"b\": \"x\\u000ay\"}],\"c\": true}\n");
    }

    @Test
    void aDocumentIsIndented() {
        assertThat(Json.write(Map.of("a", List.of(1, 2)))).isEqualTo("{\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
    }
}
