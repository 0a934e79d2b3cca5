package io.tutti.tornado.program;

/**
 * Where a buffer lies in a program's one array of values: number i of row t is at {@code at + t * stride + i}.
 *
 * @param at the first number's index
 * @param stride numbers from a row to the next, at least {@code width}
 * @param width numbers in a row
 */
record View(int at, int stride, int width) {}
