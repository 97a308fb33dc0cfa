// Nothing: the library that tests borrow their precompiled headers from needs a source of its own.
