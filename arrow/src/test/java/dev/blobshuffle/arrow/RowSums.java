package dev.blobshuffle.arrow;

import java.nio.charset.StandardCharsets;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;

/** The sums of a partition that {@code shuffle.py} prints too. Owned by one test. */
final class RowSums {
    private long rows;
    private long keys;
    private long words;
    private long lengths;
    private long numbers;

    /** Adds the rows of a batch; the dictionaries are those of this batch. */
    void add(VectorSchemaRoot batch, DictionaryProvider dictionaries) {
        BigIntVector k = (BigIntVector) batch.getVector("k");
        VarCharVector text = (VarCharVector) batch.getVector("text");
        ViewVarCharVector view = (ViewVarCharVector) batch.getVector("view");
        ListVector list = (ListVector) batch.getVector("list");
        IntVector items = (IntVector) list.getDataVector();
        FieldVector indices = batch.getVector("word");
        try (FieldVector word = (FieldVector) DictionaryEncoder.decode(
                indices, dictionaries.lookup(indices.getField().getDictionary().getId()))) {
            for (int row = 0; row < batch.getRowCount(); row++) {
                keys += k.get(row);
                lengths += text.get(row).length + view.get(row).length;
                for (int i = list.getElementStartIndex(row); i < list.getElementEndIndex(row); i++) {
                    numbers += items.get(i);
                }
                String one = new String(((VarCharVector) word).get(row), StandardCharsets.UTF_8);
                words += Character.digit(one.charAt(0), 10) + Integer.parseInt(one.substring(2));
            }
        }
        rows += batch.getRowCount();
    }

    @Override
    public String toString() {
        return rows + " " + keys + " " + words + " " + lengths + " " + numbers + "\n";
    }
}
