package io.tutti.jinja;

import java.util.Iterator;

/** Python's generator, which computes its elements on demand and gives each once: the result of map, select and similar filters. */
record PythonGenerator(Iterator<Object> elements) {}
