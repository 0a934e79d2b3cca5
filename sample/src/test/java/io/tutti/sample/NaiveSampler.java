package io.tutti.sample;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The sampling specification word for word, with boxed lists and full sorts. */
final class NaiveSampler {
    private NaiveSampler() {}

    static SampledToken sample(
            float[] row, SamplingParams params, List<Integer> prompt, List<Integer> output, Pcg32 rng) {
        double[] l = new double[row.length];
        IntStream.range(0, row.length).forEach(id -> l[id] = row[id]);
        Set<Integer> seen = new HashSet<>(prompt);
        seen.addAll(output);
        for (int id : seen) {
            l[id] = l[id] > 0 ? l[id] / params.repetitionPenalty() : l[id] * params.repetitionPenalty();
        }
        for (int id : Set.copyOf(output)) {
            long c = output.stream().filter(o -> o == id).count();
            l[id] = l[id] - (params.frequencyPenalty() * c + params.presencePenalty());
        }

        List<Integer> all = IntStream.range(0, l.length).boxed().toList();
        int token = choose(l, params, all, rng);
        double max = all.stream().mapToDouble(id -> l[id]).max().orElseThrow();
        double z = 0;
        for (int id : all) {
            z += CorrectlyRounded.exp(l[id] - max);
        }
        return new SampledToken(token, (l[token] - max) - CorrectlyRounded.log(z));
    }

    private static int choose(double[] l, SamplingParams params, List<Integer> all, Pcg32 rng) {
        if (params.temperature() == 0) {
            return order(all, l).get(0);
        }
        double[] scaled = new double[l.length];
        all.forEach(id -> scaled[id] = l[id] / params.temperature());

        List<Integer> kept = all;
        if (params.topK() > 0 && params.topK() < l.length) {
            kept = order(kept, scaled).subList(0, params.topK());
        }
        if (params.topP() < 1) {
            Map<Integer, Double> q = softmax(scaled, kept);
            List<Integer> nucleus = new ArrayList<>();
            double c = 0;
            for (int id : order(kept, scaled)) {
                nucleus.add(id);
                c += q.get(id);
                if (c >= params.topP()) {
                    break;
                }
            }
            kept = nucleus;
        }
        if (params.minP() > 0) {
            Map<Integer, Double> q = softmax(scaled, kept);
            double max =
                    q.values().stream().mapToDouble(Double::doubleValue).max().orElseThrow();
            kept = kept.stream().filter(id -> q.get(id) >= params.minP() * max).toList();
        }
        Map<Integer, Double> q = softmax(scaled, kept);
        double u = rng.nextDouble();
        double c = 0;
        List<Integer> ascending = kept.stream().sorted().toList();
        for (int id : ascending) {
            c += q.get(id);
            if (u < c) {
                return id;
            }
        }
        return ascending.getLast();
    }

    private static List<Integer> order(List<Integer> ids, double[] l) {
        Comparator<Integer> byLogit = Comparator.comparingDouble(id -> -l[id] + 0.0); // + 0.0: the zeros tie
        return ids.stream()
                .sorted(byLogit.thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static Map<Integer, Double> softmax(double[] l, List<Integer> ids) {
        double max = ids.stream().mapToDouble(id -> l[id]).max().orElseThrow();
        double z = 0;
        for (int id : ids.stream().sorted().toList()) {
            z += CorrectlyRounded.exp(l[id] - max);
        }
        Map<Integer, Double> q = new HashMap<>();
        for (int id : ids) {
            q.put(id, CorrectlyRounded.exp(l[id] - max) / z);
        }
        return q;
    }
}
