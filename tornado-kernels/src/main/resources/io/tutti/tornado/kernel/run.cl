// The one kernel: which op it does, and with which numbers, stands in the table of ops. TornadoVM runs the code of a task
// graph's first prebuilt task for all of them, so one kernel has to do for all. ClSource puts HEADER and OP_INTS ahead: bytes before an array's
// numbers, and ints of an op in the table.

#define EMBED 0
#define RMS_NORM 1
#define MAT_MUL 2
#define ROTATE 3
#define WRITE_KV 4
#define ATTENTION 5
#define SWI_GLU 6
#define ADD 7
#define SELECT_OUTPUTS 8
#define NOTHING 9
#define QUANTIZE 10

#define ARRAY(TYPE, ARGUMENT) ((__global TYPE *) (ARGUMENT + HEADER))

__kernel void run(
        __global long *context, __constant uchar *constants, __local uchar *local_region, __global int *atomics,
        __global uchar *ops, __global uchar *step, __global uchar *launches, __global uchar *values, __global uchar *angles,
        __global uchar *weights, __global uchar *scales, __global uchar *keys, __global uchar *slab_values, int task) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if ((x | y) == 0) {
        ARRAY(int, launches)[task]++;
    }
    Arrays arrays = {
        ARRAY(const int, step),      ARRAY(float, values),       ARRAY(const float, angles), ARRAY(const uchar, weights),
        ARRAY(const uchar, scales),  ARRAY(uchar, keys),         ARRAY(uchar, slab_values),
    };
    __global const int *own = ARRAY(const int, ops) + task * OP_INTS;
    int numbers[OP_INTS];
    for (int i = 0; i < OP_INTS; i++) {
        numbers[i] = own[i];
    }
    const void *op = numbers + 1;
    switch (numbers[0]) {
        case EMBED:
            embed(&arrays, op, x);
            break;
        case RMS_NORM:
            rms_norm(&arrays, op, x);
            break;
        case MAT_MUL:
            mat_mul(&arrays, op, x, y);
            break;
        case QUANTIZE:
            quantize(&arrays, op, x);
            break;
        case ROTATE:
            turn_row(&arrays, op, x);
            break;
        case WRITE_KV:
            write_kv(&arrays, op, x);
            break;
        case ATTENTION:
            attend(&arrays, op, x, y);
            break;
        case SWI_GLU:
            swi_glu(&arrays, op, x);
            break;
        case ADD:
            add(&arrays, op, x);
            break;
        case SELECT_OUTPUTS:
            select_outputs(&arrays, op, x);
            break;
    }
}
