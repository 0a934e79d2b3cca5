package io.tutti.chat.jinja;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Predicate;

/** Iterators that compute an element when it is asked for. */
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
