/** Finding a TornadoVM SDK. */
package io.tutti.tornado.config;
