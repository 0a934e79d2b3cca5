package io.tutti.jinja;

/** Anything a template can call: a macro, a function, a method of a value. */
@FunctionalInterface
interface Callable {
    Object call(Arguments arguments);
}
