/** safetensors files: headers checked whole, tensors mapped one at a time, sharded checkpoints, and writing. */
package io.tutti.modelio.safetensors;
