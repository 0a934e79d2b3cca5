/** From a conversation to a prompt: the checkpoint's own chat template, rendered as transformers renders it. */
package io.tutti.chat;
