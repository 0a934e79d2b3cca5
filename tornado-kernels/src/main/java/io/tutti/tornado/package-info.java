/** The ops as TornadoVM kernels and task graphs. */
package io.tutti.tornado;
