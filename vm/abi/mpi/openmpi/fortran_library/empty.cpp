// Nothing: the library is there for its name (../CMakeLists.txt), and brings the other one with it.
