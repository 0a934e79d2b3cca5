package io.tutti.tornado.program;

/** Numbers that the OpenCL C kernel knows by the same names. */
final class ClKernel {

    static final int EMBED = 0;
    static final int RMS_NORM = 1;
    static final int MAT_MUL = 2;
    static final int ROTATE = 3;
    static final int WRITE_KV = 4;
    static final int ATTENTION = 5;
    static final int SWI_GLU = 6;
    static final int ADD = 7;
    static final int SELECT_OUTPUTS = 8;
    static final int NOTHING = 9;

    static final int F32 = 0;
    static final int F16 = 1;
    static final int BF16 = 2;
    static final int INT4 = 3;

    static final int REPLACE = 0;
    static final int ADD_TO = 1;
    static final int OPEN_GATE = 2;

    private ClKernel() {}
}
