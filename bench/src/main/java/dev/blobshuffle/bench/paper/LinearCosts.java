package dev.blobshuffle.bench.paper;

import java.util.Arrays;

/**
 * Derives the costs of single operations from the costs of runs with different numbers of them.
 * Stateless.
 */
final class LinearCosts {
    private LinearCosts() {}

    /**
     * Solves as many equations as there are unknowns, by elimination. A cost below zero, which only
     * noise can give, is taken as zero.
     *
     * @param counts for each run, the number of each operation
     * @param work total cost of each run
     * @return the cost of each operation
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

    /** Moves the row with the largest number in a column to the pivot's place. */
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
