/**
 * A graph on its way to a device: ops are fused ({@link io.tutti.tornado.program.Fusion}), cut into sections ({@link
 * io.tutti.tornado.program.SectionPlan}), given places ({@link io.tutti.tornado.program.ValuesLayout}) and weights ({@link
 * io.tutti.tornado.program.DeviceWeights}, {@link io.tutti.tornado.program.DeviceVectors}), turned into launches of kernels
 * ({@link io.tutti.tornado.program.Lowering}), and run ({@link io.tutti.tornado.program.TornadoProgram}).
 */
package io.tutti.tornado.program;
