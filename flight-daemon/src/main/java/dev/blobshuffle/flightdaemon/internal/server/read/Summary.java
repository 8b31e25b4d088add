package dev.blobshuffle.flightdaemon.internal.server.read;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.blobshuffle.flightdaemon.internal.blob.BlobName;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * The metadata of a stream's last message: the totals that the client must have received of each
 * map, as JSON. Stateless.
 */
final class Summary {
    private Summary() {}

    static byte[] of(List<FrameSource.SentMap> sent) {
        JsonArray maps = new JsonArray(sent.size());
        for (FrameSource.SentMap map : sent) {
            BlobName name = map.blob.name();
            JsonObject one = new JsonObject();
            one.addProperty("map", name.map());
            one.addProperty("attempt", name.attempt());
            one.addProperty("rows", map.rows);
            one.addProperty("bytes", map.bytes);
            one.addProperty("crc32c", HexFormat.of().toHexDigits(map.checksum.value()));
            maps.add(one);
        }
        JsonObject summary = new JsonObject();
        summary.add("maps", maps);
        return summary.toString().getBytes(StandardCharsets.UTF_8);
    }
}
