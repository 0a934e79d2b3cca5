/** Finding a TornadoVM SDK; what the JVM, TornadoVM and the devices' compilers have to be told; the names of devices. */
package io.tutti.tornado.config;
