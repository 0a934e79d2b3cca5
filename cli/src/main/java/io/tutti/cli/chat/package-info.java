/** A chat: the conversation, the input it comes from, and the model that answers. */
package io.tutti.cli.chat;
