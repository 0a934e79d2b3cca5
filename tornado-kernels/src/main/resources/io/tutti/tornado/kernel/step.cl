// What a step's kernels work on: StepLayout's array, where M is the most tokens of a step.

#define TOKENS 0

#define ID(M, t) (4 + (t))
#define POSITION(M, t) (4 + (M) + (t))
#define SLOT(M, t) (4 + 2 * (M) + (t))
#define TABLE(M, t) (4 + 3 * (M) + (t))
#define OUTPUT(M, i) (4 + 4 * (M) + (i))
#define BLOCK(M, i) (4 + 5 * (M) + (i))

// The arrays of a launch; those that its op has no use for hold anything.
typedef struct {
    __global const int *step;
    // Activations, and the weights' norms' scales and biases.
    __global float *values;
    // For each token of the step the cosines, the sines and the sines' negatives at its position.
    __global const float *angles;
    __global const uchar *weights;
    __global const uchar *scales;
    __global uchar *keys;
    __global uchar *slab_values;
} Arrays;
