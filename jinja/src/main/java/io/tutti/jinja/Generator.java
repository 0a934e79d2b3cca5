package io.tutti.jinja;

import java.util.Iterator;

/** What gives its elements once, computed as they are asked for: the filters map, select, reversed lists and the like. */
record Generator(Iterator<Object> elements) {}
