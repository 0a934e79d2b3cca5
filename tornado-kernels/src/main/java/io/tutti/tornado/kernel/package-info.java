/**
 * The ops as TornadoVM kernels: plain static methods on flat arrays, one class for each family and one method for each op
 * and dtype, bit for bit what {@link io.tutti.engine.numerics.Numerics} defines.
 *
 * <p>A kernel's result must not depend on what a device's compiler likes to do, and TornadoVM compiles a subset of Java:
 *
 * <ul>
 *   <li>every fused multiply-add is spelled {@link io.tutti.tornado.kernel.Fma}, and no other sum has a product for a term;
 *   <li>{@code x >>> n} becomes a signed shift: shift with {@code >>} and mask;
 *   <li>bits do not become a float, nor a float bits: {@link io.tutti.tornado.kernel.Tables} hold what bits would make;
 *   <li>a float condition is one comparison: in {@code a || b && c} a negation gets lost;
 *   <li>a private array lives in registers if its length and every index into it are constants once loops are unrolled;
 *   <li>an array in local memory stays in the method that allocates it: one that it is passed to would use byte offsets for
 *       indices, beyond its end;
 *   <li>scalar parameters and array lengths are constants of the generated code; what changes from step to step lies in
 *       {@code step} and {@code layer};
 *   <li>a kernel has its method's name, which may be none of OpenCL's ({@code int4}, {@code floor}).
 * </ul>
 *
 * <p>Parameters that kernels have in common:
 *
 * <ul>
 *   <li>{@code step}: what the host says of this step, laid out by {@link io.tutti.tornado.kernel.StepLayout};
 *   <li>{@code layer}: {@code [0]} the layer's number within its group of weights, {@code [1]} the elements ahead of the
 *       layer in its region of the cache;
 *   <li>{@code launches}: a count for each task, by {@link io.tutti.tornado.kernel.Launches};
 *   <li>{@code values}: all activations, and the weights' vectors, norms' scales and biases, of all layers. Number i of row t
 *       of an activation is {@code values[at + t * stride + i]};
 *   <li>{@code tables}: constants, by {@link io.tutti.tornado.kernel.Tables}, whose form is the kernel's, too;
 *   <li>{@code count}: {@link io.tutti.tornado.kernel.StepLayout#TOKENS} or {@link
 *       io.tutti.tornado.kernel.StepLayout#OUTPUTS}, whichever the op has a row for each of;
 *   <li>{@code task}: the task's place in {@code launches}.
 * </ul>
 *
 * <p>For CPUs there is the same once more in OpenCL C: {@link io.tutti.tornado.kernel.ClKernel}, in vectors that TornadoVM's
 * own code does not reach.
 *
 * <p>Each class tells by a {@link io.tutti.tornado.kernel.Grid} how it is launched. Grids are rounded up to whole
 * work-groups; work-items beyond a row's width, a matrix's rows or the step's rows write nothing.
 */
package io.tutti.tornado.kernel;
