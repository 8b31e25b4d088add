package dev.blobshuffle.bench.paper;

import java.util.Arrays;

/** Costs of single things from the costs of runs that had different numbers of them. Stateless. */
final class LinearCosts {
    private LinearCosts() {}

    /**
     * Solves as many equations as there are unknowns, by elimination. A cost below zero, which only
     * noise can give, is taken as zero.
     *
     * @param counts of each run, how many of each thing
     * @param work of each run
     * @return the cost of each thing
     * @throws IllegalArgumentException if runs are multiples of each other
     */
    static double[] solve(double[][] counts, double[] work) {
        int size = work.length;
        double[][] rows = new double[size][];
        for (int i = 0; i < size; i++) {
            rows[i] = Arrays.copyOf(counts[i], size + 1);
            rows[i][size] = work[i];
        }
        for (int pivot = 0; pivot < size; pivot++) {
            swap(rows, pivot);
            for (int i = 0; i < size; i++) {
                double factor = i == pivot ? 0 : rows[i][pivot] / rows[pivot][pivot];
                for (int j = pivot; j <= size; j++) {
                    rows[i][j] -= factor * rows[pivot][j];
                }
            }
        }
        double[] costs = new double[size];
        for (int i = 0; i < size; i++) {
            costs[i] = Math.max(0, rows[i][size] / rows[i][i]);
        }
        return costs;
    }

    /** Puts the row with the largest number of a column where the column needs it. */
    private static void swap(double[][] rows, int pivot) {
        int largest = pivot;
        for (int i = pivot + 1; i < rows.length; i++) {
            if (Math.abs(rows[i][pivot]) > Math.abs(rows[largest][pivot])) {
                largest = i;
            }
        }
        if (rows[largest][pivot] == 0) {
            throw new IllegalArgumentException("Cannot separate costs: the runs are multiples of each other.");
        }
        double[] moved = rows[pivot];
        rows[pivot] = rows[largest];
        rows[largest] = moved;
    }
}
