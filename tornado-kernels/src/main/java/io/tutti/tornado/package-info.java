/** The devices that TornadoVM reaches, as a backend of the engine. */
package io.tutti.tornado;
