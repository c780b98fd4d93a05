"""The face of the standard's binary interface (MPI-5.0, chapter 20), for generate.py: handles, functions, mpi.h."""

import re
from pathlib import Path

from generate import EXPORTED, HANDLES, HEADER, KINDS, LARGE_CORES, alias, c_source, read_objects, read_tools, rows

HERE = Path(__file__).resolve().parent

# Of MPI-1, and no longer part of MPI: programs that name them cannot be compiled for this interface.
REMOVED = {"Address", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed",
           "Type_hvector", "Type_lb", "Type_struct", "Type_ub"}

# Types of arguments in mpi.h.
C_HANDLES = {"comm": "MPI_Comm", "group": "MPI_Group", "type": "MPI_Datatype", "op": "MPI_Op",
             "request": "MPI_Request", "message": "MPI_Message", "info": "MPI_Info", "errhandler": "MPI_Errhandler",
             "session": "MPI_Session"}
C_PLAIN = {"cbuffer": "const void*", "buffer": "void*", "string": "const char*", "string*": "char*",
           "pointer": "void*", "pointer*": "void*", "words": "char**", "triple[]": "int (*)[3]", "status*": "MPI_Status*",
           "status*[]": "MPI_Status*", "cstatus": "const MPI_Status*"}
C_NUMBERS = {"int": "int", "logical": "int", "index": "int", "weights": "int", "aint": "MPI_Aint",
             "count": "MPI_Count"}

# Functions of the program's, by the function of MPI that takes them, in the order of the arguments.
C_FUNCTIONS = {
    "Op_create": ["MPI_User_function*"],
    "Op_create_c": ["MPI_User_function_c*"],
    "Keyval_create": ["MPI_Copy_function*", "MPI_Delete_function*"],
    "Comm_create_keyval": ["MPI_Comm_copy_attr_function*", "MPI_Comm_delete_attr_function*"],
    "Type_create_keyval": ["MPI_Type_copy_attr_function*", "MPI_Type_delete_attr_function*"],
    "Comm_create_errhandler": ["MPI_Comm_errhandler_function*"],
    "Session_create_errhandler": ["MPI_Session_errhandler_function*"],
    "Grequest_start": ["MPI_Grequest_query_function*", "MPI_Grequest_free_function*",
                       "MPI_Grequest_cancel_function*"],
}

# Functions that do not follow the pattern.
C_BY_HAND = {
    "Init": "int MPI_Init(int* argc, char*** argv)",
    "Init_thread": "int MPI_Init_thread(int* argc, char*** argv, int required, int* provided)",
    "Initialized": "int MPI_Initialized(int* flag)",
    "Finalize": "int MPI_Finalize(void)",
    "Finalized": "int MPI_Finalized(int* flag)",
    "Get_version": "int MPI_Get_version(int* version, int* subversion)",
    "Get_library_version": "int MPI_Get_library_version(char* version, int* length)",
    "Wtime": "double MPI_Wtime(void)",
    "Wtick": "double MPI_Wtick(void)",
    "Pcontrol": "int MPI_Pcontrol(const int level, ...)",
}


def read_more():
    return [[field.strip() for field in row.split("|")] for row in rows("standard/more.table")]


def read_values():
    return [[field.strip() for field in row.split("|")] for row in rows("standard/objects.table")]


# --- handles --------------------------------------------------------------------------------------------------------

def words_source(objects):
    values = {name: int(value, 16) for _, name, value in read_values()}
    # What predefined.table calls by its older name.
    values["LONG_LONG_INT"] = values["LONG_LONG"]
    by_kind = {kind: [] for kind in KINDS}
    words = []
    for kind, name, *_ in objects:
        number = len(by_kind[kind])
        value = values.get(name)
        by_kind[kind].append(value)
        if value is not None:
            words.append(f"  words[{value:#05x}] = word_of(Kind::{kind}, {number});\n")
    lines = [HEADER, "#include \"face_words.hpp\"\n#include \"vm/abi/mpi/face/predefined_handles.hpp\"\n\n"
             "namespace nasvm::mpi::face {\n\n"
             "constinit const std::array<Word, predefined_values> predefined_words = [] {\n"
             "  std::array<Word, predefined_values> words{};\n", *words, "  return words;\n}();\n\n"]
    for kind, entries in by_kind.items():
        pointers = ", ".join("nullptr" if v is None else f"reinterpret_cast<void*>({v:#05x})" for v in entries)
        numbers = ", ".join(str(v or 0) for v in entries)
        lines.append(f"static void* const of_{kind}[] = {{{pointers}}};\n"
                     f"static constexpr int numbers_of_{kind}[] = {{{numbers}}};\n")
    lines.append("\nPredefinedHandles predefined_handles(Kind kind) {\n  switch (kind) {\n")
    lines += [f"    case Kind::{kind}:\n      return {{of_{kind}, numbers_of_{kind}}};\n" for kind in by_kind]
    lines.append("    default:\n      return {};\n  }\n}\n\n}  // namespace nasvm::mpi::face\n")
    return "".join(lines)


# --- functions ------------------------------------------------------------------------------------------------------

LARGE_TYPES = {"count": "long long", "count[]": "const long long*", "aint[]": "const std::ptrdiff_t*",
               "count*": "long long*", "count~": "long long*", "function": "void (*)()"}


def large_function(f):
    """Most of the core takes large numbers as they are: Numbers, and overloads for results."""
    core = LARGE_CORES.get(f.name, f.core)
    parameters, before, passed, after = [], [], [], []
    for a in f.arguments:
        new = f.larger.get(a.name)
        parameters.append(a.declared(LARGE_TYPES[new] if new else a.c_type()))
        if new == "function":
            passed.append(f"UserFunction{{{a.name}, Language::c_large}}")
        elif new is None and a.kind == "type*":
            before.append(f"Set<Datatype, Kind::type> made({a.name});")
            passed.append("made")
            after.append("static_cast<Datatype*&>(made)->has_large_counts = true;")
        elif new is None and a.is_array and a.is_handle and a.length in f.larger:
            passed.append(f"All<{HANDLES[a.base]}, Kind::{a.base}>({a.name}, narrow<int>({a.length}))")
        elif new is None:
            passed.append(a.to_core())
        elif a.form and a.base == "aint" and f.name not in LARGE_CORES:
            start = ", true" if new == "count~" else ""
            passed.append(f"Widened<std::ptrdiff_t, long long>({a.name}{start})")
        else:
            passed.append(a.name)
    body = [*before, f"api::{core}({', '.join(passed)});", *after]
    return (f"{EXPORTED} int PMPI_{f.name}_c({', '.join(parameters)}) {{\n"
            f"  return call<Timed::{f.timed()}>(Function::{f.name}, {f.concerned()}, [&] {{\n"
            + "".join(f"    {line}\n" for line in body) + "  });\n}\n" + alias(f"MPI_{f.name}_c", f"PMPI_{f.name}_c"))


def large_source(functions):
    lines = [HEADER, "#include \"mpi_api.hpp\"\n#include \"vm/abi/mpi/call.hpp\"\n"
             "#include \"vm/abi/mpi/face/handles.hpp\"\n#include \"vm/abi/mpi/standard/large.hpp\"\n\n"
             "using namespace nasvm::mpi;\nusing namespace nasvm::mpi::face;\n\n"
             "#pragma GCC diagnostic ignored \"-Wmissing-declarations\"\n\nextern \"C\" {\n"]
    lines += [large_function(f) for f in functions if f.larger]
    known = {f.name for f in functions}
    for name, how, returned, _ in read_more():
        if how == "convert":
            kind = name.split("_")[0].lower()
            if name.endswith("toint"):
                lines.append(f"{EXPORTED} int PMPI_{name}(void* handle) {{ return fortran_of(Kind::{kind}, handle); }}\n")
            else:
                lines.append(f"{EXPORTED} void* PMPI_{name}(int number) {{ return handle_of(Kind::{kind}, number); }}\n")
        elif how == "missing" and name not in known:
            lines.append(f"{EXPORTED} void PMPI_{name}() {{ complain_of_missing(\"MPI_{name}\"); }}\n")
        else:
            continue
        lines.append(alias(f"MPI_{name}", f"PMPI_{name}"))
    lines.append("}\n")
    return "".join(lines)


def more_names():
    """Names for what standard/c_by_hand.cpp defines."""
    return HEADER + "".join(alias(f"MPI_{name}", f"PMPI_{name}") for name, how, *_ in read_more() if how == "by hand")


# --- mpi.h ----------------------------------------------------------------------------------------------------------

def declared_type(argument, key):
    """Type of an argument in mpi.h; `key`: as the tables have it."""
    if key in C_PLAIN:
        return C_PLAIN[key]
    found = re.fullmatch(r"(\w+)([*~]?)(\[\])?", key)
    base, form, array = found.groups()
    if base in C_HANDLES:
        name = C_HANDLES[base]
        return f"const {name}*" if array and not form else f"{name}*" if array or form else name
    name = C_NUMBERS[base]
    return f"const {name}*" if array and not form else f"{name}*" if array or form else name


def prototype(f, larger=None):
    name = f.name + ("_c" if larger is not None else "")
    functions = list(C_FUNCTIONS.get(name, []))
    parameters = []
    for a in f.arguments:
        if a.base == "function":
            parameters.append(f"{functions.pop(0)} {a.name}")
            continue
        if a.key == "triple[]":
            parameters.append(f"int {a.name}[][3]")
            continue
        parameters.append(f"{declared_type(a, (larger or {}).get(a.name, a.key))} {a.name}")
    return f"int MPI_{name}({', '.join(parameters) or 'void'})"


def prototypes(functions):
    for f in functions:
        if f.is_missing or f.converts or f.name in REMOVED or f.name.startswith("Status_") and f.in_both:
            continue
        yield C_BY_HAND[f.name] if f.name in C_BY_HAND else prototype(f)
        if f.larger:
            yield prototype(f, f.larger)
    for name, _, returned, types in read_more():
        yield f"{returned} MPI_{name}({types or 'void'})"
    for name, _, types in read_tools():
        yield f"int MPI_T_{name}({types or 'void'})"


def handles_text():
    lines = []
    kind_before = None
    for kind, name, value in read_values():
        c_type = C_HANDLES.get(kind, "MPI_" + kind.capitalize())
        if kind != kind_before:
            lines.append(f"\ntypedef struct MPI_ABI_{c_type.removeprefix('MPI_')}* {c_type};\n")
            kind_before = kind
        lines.append(f"#define MPI_{name} (({c_type}){value})\n")
    return "".join(lines)


def header(functions):
    text = (HERE / "standard" / "mpi.h.in").read_text()
    both = []
    for line in prototypes(functions):
        both.append(f"{line};\n{re.sub(r'MPI_', 'PMPI_', line, count=0) if False else line.replace(' MPI_', ' PMPI_', 1)};\n")
    return text.replace("@HANDLES@", handles_text()).replace("@PROTOTYPES@", "".join(both))


def files(functions):
    """What is made of it, by name."""
    kept = [f for f in functions if f.name not in REMOVED]
    return {
        "standard_objects.cpp": words_source(read_objects()),
        "standard_c.cpp": c_source(functions),
        "standard_large.cpp": large_source(kept),
        "standard_more_names.hpp": more_names(),
        "include/mpi.h": header(functions),
    }
