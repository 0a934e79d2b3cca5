package io.tutti.jinja;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Iterators that compute their elements on demand. */
final class Iterators {
    private Iterators() {}

    static <T> Iterator<Object> mapped(Iterator<T> of, Function<T, Object> function) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return of.hasNext();
            }

            @Override
            public Object next() {
                return function.apply(of.next());
            }
        };
    }

    /** The elements of the iterator that {@code source} supplies; it is called for the first element, not before. */
    static Iterator<Object> deferred(Supplier<Iterator<Object>> source) {
        return new Iterator<>() {
            private Iterator<Object> elements;

            @Override
            public boolean hasNext() {
                if (elements == null) {
                    elements = source.get();
                }
                return elements.hasNext();
            }

            @Override
            public Object next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return elements.next();
            }
        };
    }

    static Iterator<Object> filtered(Iterator<Object> of, Predicate<Object> kept) {
        return new Iterator<>() {
            private boolean ready;
            private Object following;

            @Override
            public boolean hasNext() {
                while (!ready && of.hasNext()) {
                    following = of.next();
                    ready = kept.test(following);
                }
                return ready;
            }

            @Override
            public Object next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                ready = false;
                return following;
            }
        };
    }
}
