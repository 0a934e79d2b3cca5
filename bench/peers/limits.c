// What the machine allows: limits THREADS prints the read bandwidth and the FMA peak of that many threads together, as JSON.
// cc -O3 -march=native -pthread limits.c -o limits

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__AVX512F__)
#define BYTES 64
#define SUMS 24  // independent sums: enough to hide an FMA's latency, few enough for the registers
#elif defined(__AVX__)
#define BYTES 32
#define SUMS 12
#else
#define BYTES 16
#define SUMS 24
#endif
typedef float floats __attribute__((vector_size(BYTES)));
typedef uint64_t longs __attribute__((vector_size(BYTES)));

#define MIB (1024L * 1024)
static const long READ_BYTES = 512 * MIB;  // each thread's own, far larger than its caches
static const long FMA_ROUNDS = 20 * 1000 * 1000;
enum { REPEATS = 5 };

static int threads;
static atomic_int arrivals;
static double read_seconds[REPEATS], fma_seconds[REPEATS];
static volatile uint64_t read_sink;
static volatile float fma_source = 1.0f, fma_sink;  // volatile: not known to the compiler

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

// Waits until all threads have come here.
static void meet(void) {
    int goal = (atomic_fetch_add(&arrivals, 1) / threads + 1) * threads;
    while (atomic_load(&arrivals) < goal) {
    }
}

static void read_all(const longs *data) {
    longs a = {0}, b = {0}, c = {0}, d = {0};
    for (long i = 0; i < READ_BYTES / BYTES; i += 4) {
        a += data[i];
        b += data[i + 1];
        c += data[i + 2];
        d += data[i + 3];
    }
    a += b + c + d;
    read_sink = a[0] + a[1];
}

static void multiply_add(const longs *unused) {
    (void) unused;
    floats sums[SUMS], x = {0}, y = {0};
    x += fma_source;
    y += fma_source * 1e-9f;
    for (int i = 0; i < SUMS; i++) sums[i] = y + fma_source * (float) i;
    for (long round = 0; round < FMA_ROUNDS; round++) {
#pragma GCC unroll 24
        for (int i = 0; i < SUMS; i++) sums[i] = sums[i] * x + y;
    }
    floats total = {0};
    for (int i = 0; i < SUMS; i++) total += sums[i];
    for (unsigned i = 0; i < BYTES / sizeof(float); i++) fma_sink = total[i];
}

// Runs one task on all threads at once; thread 0 writes down how long the slowest took.
static void timed(int thread, double *seconds, void (*task)(const longs *), const longs *data) {
    meet();
    double start = now();
    task(data);
    meet();
    if (thread == 0) *seconds = now() - start;
}

static void *work(void *arg) {
    int thread = (int) (intptr_t) arg;
    longs *data = aligned_alloc(BYTES, READ_BYTES);
    if (!data) {
        fprintf(stderr, "limits: no memory for %ld MiB a thread\n", READ_BYTES / MIB);
        exit(1);
    }
    memset(data, 1, READ_BYTES);
    for (int i = 0; i < REPEATS; i++) timed(thread, &read_seconds[i], read_all, data);
    for (int i = 0; i < REPEATS; i++) timed(thread, &fma_seconds[i], multiply_add, NULL);
    free(data);
    return NULL;
}

static double best(const double *seconds) {
    double least = seconds[0];
    for (int i = 1; i < REPEATS; i++) {
        if (seconds[i] < least) least = seconds[i];
    }
    return least;
}

int main(int argc, char **argv) {
    threads = argc == 2 ? atoi(argv[1]) : 0;
    if (threads < 1) {
        fprintf(stderr, "usage: limits THREADS\n");
        return 2;
    }
    pthread_t *others = calloc(threads, sizeof *others);
    for (int i = 1; i < threads; i++) pthread_create(&others[i], NULL, work, (void *) (intptr_t) i);
    work((void *) 0);
    for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);

    double bytes = (double) READ_BYTES * threads;
    double flops = 2.0 * FMA_ROUNDS * SUMS * (BYTES / sizeof(float)) * threads;
    printf("{\"read_gb_s\": %.2f, \"fma_gflop_s\": %.1f}\n", bytes / best(read_seconds) * 1e-9, flops / best(fma_seconds) * 1e-9);
    return 0;
}
