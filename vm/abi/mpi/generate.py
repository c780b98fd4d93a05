#!/usr/bin/env python3
"""Makes of functions.table and predefined.table what the library is built of besides its own sources.

    generate.py FOLDER     writes there:
        mpi_functions.hpp   the functions' numbers, names and classes, for statistics and tables
        mpi_predefined.hpp  the predefined datatypes
        mpi_api.hpp         what the core has to define: one function for each that is there
        mpi_background.cpp  of the core: the collectives that go on in the background
        openmpi_objects.cpp, openmpi_c.cpp, openmpi_fortran.cpp   the face of Open MPI's binary interface
        standard_objects.cpp, standard_c.cpp, standard_large.cpp, include/mpi.h   that of the standard's (standard.py)
        include/mpif.h      for programs in Fortran (fortran_header.py)

Only files whose content has changed are written.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Kinds of handles: C++ class of the core.
HANDLES = {
    "comm": "Communicator",
    "group": "Group",
    "type": "Datatype",
    "op": "Op",
    "request": "Request",
    "message": "Request",
    "info": "Info",
    "errhandler": "ErrorHandler",
    "session": "Session",
}
KINDS = list(HANDLES) + ["win", "file"]

# Values and memory: C type, which is the core's too.
PLAIN = {
    "cbuffer": "const void*",
    "buffer": "void*",
    "int": "int",
    "logical": "int",
    "aint": "std::ptrdiff_t",
    "count": "long long",
    "string": "const char*",
    "string*": "char*",
    "pointer": "void*",
    "words": "char**",
    "int*": "int*",
    "int~": "int*",
    "index*": "int*",
    "logical*": "int*",
    "aint*": "std::ptrdiff_t*",
    "aint~": "std::ptrdiff_t*",
    "count*": "long long*",
    "int[]": "const int*",
    "logical[]": "const int*",
    "weights[]": "const int*",
    "aint[]": "const std::ptrdiff_t*",
    "triple[]": "const int (*)[3]",
    "int*[]": "int*",
    "index*[]": "int*",
    "logical*[]": "int*",
    "weights*[]": "int*",
    "aint*[]": "std::ptrdiff_t*",
}

# Fortran procedures of MPI-1 whose addresses are default integers.
SHORT_ADDRESSES = {"Type_hvector", "Type_hindexed", "Type_struct", "Type_extent", "Type_lb", "Type_ub"}

# Handles that MPI takes no notice of on some tasks, so that programs may leave them unset there: where they count, by
# blocking function and argument. What is behind them is looked at there alone.
SIGNIFICANT = {
    "bcast": {"datatype": "root != proc_null"},
    "gather": {"sendtype": "!is_in_place(sendbuf) && exchanges_with(comm, root)",
               "recvtype": "is_root_of(comm, root)"},
    "scatter": {"sendtype": "is_root_of(comm, root)",
                "recvtype": "!is_in_place(recvbuf) && exchanges_with(comm, root)"},
    "allgather": {"sendtype": "!is_in_place(sendbuf)"},
    "alltoall": {"sendtype": "!is_in_place(sendbuf)"},
    "reduce": {"datatype": "root != proc_null", "op": "root != proc_null"},
    "intercomm_create": {"peer_comm": "is_root_of(local_comm, local_leader)"},
    "intercomm_create_from_groups": {"remote_group": "is_leader_of(local_group, local_leader)"},
}
SIGNIFICANT |= {f"{name}v": SIGNIFICANT[name] for name in ("gather", "scatter", "allgather", "alltoall")}

EXPORTED = '[[gnu::visibility("default")]]'
HEADER = "// Made by vm/abi/mpi/generate.py.\n"


class Argument:
    def __init__(self, text):
        self.name, kind = (text.split(":") + [text])[:2] if ":" in text else ("newcomm", text)
        self.length = None
        found = re.search(r"\[(\w*)\]$", kind)
        if found:
            self.length = found.group(1)
            kind = kind[: found.start()]
        self.kind = kind  # with * or ~
        self.base = kind.rstrip("*~")
        self.form = kind[len(self.base):]
        self.is_array = found is not None
        self.is_wide = False  # the core takes the larger numbers of large.table, too
        self.is_handle = self.base in HANDLES
        self.significant = None  # expression that says whether it counts on this task; None: it always does

    @property
    def key(self):
        return self.kind + ("[]" if self.is_array else "")

    def core_type(self):
        """Type of the core's parameter."""
        if self.is_wide:
            return "Numbers" if self.is_array else "std::ptrdiff_t"
        if self.base == "status" or self.base == "cstatus":
            return "const MessageStatus*" if self.base == "cstatus" else "MessageStatus*"
        if self.base == "function":
            return "const UserFunction&"
        if self.kind == "pointer*":
            return "void**"
        if self.is_handle:
            name = HANDLES[self.base]
            if self.is_array:
                return f"{name}**" if self.form else f"{name}* const*"
            return f"{name}*&" if self.form else f"{name}*"
        return PLAIN[self.key]

    def c_type(self):
        """Type of the face's parameter."""
        if self.base in ("status", "cstatus"):
            return "const MessageStatus*" if self.base == "cstatus" else "MessageStatus*"
        if self.base == "function":
            return "void (*)()"
        if self.kind == "pointer*":
            return "void*"
        if self.is_handle:
            if self.is_array:
                return "void**" if self.form else "void* const*"
            return "void**" if self.form else "void*"
        return PLAIN[self.key]

    def declared(self, type_name):
        if "(*)" in type_name:
            return type_name.replace("(*)", f"(*{self.name})")
        return f"{type_name} {self.name}"

    def count(self):
        """Expression for the length of an array of handles."""
        if self.length == "comm":
            # What is sent in place says nothing of its types, so that there need be none.
            return "is_in_place(sendbuf) ? 0 : ranks_of(comm)" if self.name == "sendtypes" else "ranks_of(comm)"
        if self.length in ("indegree", "outdegree"):
            return f"{self.length}_of(comm)"
        return self.length

    def to_core(self):
        """Expression that makes the core's argument of the face's."""
        if self.base == "function":
            return f"UserFunction{{{self.name}, Language::c}}"
        if self.kind == "pointer*":
            return f"static_cast<void**>({self.name})"
        if not self.is_handle:
            return self.name
        kind = f"Kind::{self.base}"
        name = HANDLES[self.base]
        if self.is_array:
            wrapper = {"": "All", "~": "ChangeAll", "*": "SetAll"}[self.form]
            return f"{wrapper}<{name}, {kind}>({self.name}, {self.count()})"
        if self.form:
            wrapper = {"~": "Change", "*": "Set"}[self.form]
            return f"{wrapper}<{name}, {kind}>({self.name})"
        behind = f"object<{name}, {kind}>({self.name})"
        return f"{self.significant} ? {behind} : nullptr" if self.significant else behind


# Functions whose core has a second form, which takes and gives large counts itself.
LARGE_CORES = {"Get_elements": "get_elements_x", "Status_set_elements": "status_set_elements_x",
               "Type_size": "type_size_x", "Type_get_extent": "type_get_extent_x",
               "Type_get_true_extent": "type_get_true_extent_x"}


def read_large():
    """Arguments that are larger, by function and name."""
    table = {}
    for row in rows("standard/large.table"):
        name, arguments = (field.strip() for field in row.split("|"))
        table[name] = {text.split(":")[0]: text.split(":")[1] for text in arguments.split()}
    return table


class Function:
    def __init__(self, line):
        fields = [field.strip() for field in line.split("|")]
        self.name = fields[0]
        self.group = fields[1]
        self.by_hand = self.group.endswith("by hand")
        self.in_both = self.group == "by hand"
        self.at_any_time = "at any time" in self.group
        self.is_quick = "quick" in self.group
        self.group = self.group.replace("by hand", "").replace("at any time", "").replace("quick", "").strip()
        self.is_missing = self.group == "missing"
        self.converts = self.group == "convert"
        self.arguments = [Argument(text) for text in fields[2].split()] if len(fields) > 2 else []
        for a in self.arguments:
            a.significant = SIGNIFICANT.get(self.blocking_core, {}).get(a.name)

    @property
    def has_core(self):
        return not (self.in_both or self.is_missing or self.converts)

    @property
    def core(self):
        return self.name.lower()

    @property
    def blocking_core(self):
        """Of a nonblocking or persistent collective the blocking one's; of others their own."""
        return self.core[1:] if self.group == "nonblocking" else self.core.removesuffix("_init")

    def parameters(self, kind):
        return ", ".join(a.declared(getattr(a, kind)()) for a in self.arguments)

    def named(self, base):
        return [a for a in self.arguments if a.base == base]

    def timed(self):
        return "no" if self.group == "local" else "unless_quick" if self.is_quick else "yes"

    def concerned_argument(self):
        """The face's argument whose error handler hears of errors, if any."""
        found = [a for a in [*self.named("comm"), *self.named("session")] if a.form in ("", "~") and not a.is_array]
        return found[0] if found else None

    def concerned(self):
        """Expression for the object behind it."""
        a = self.concerned_argument()
        if a is None:
            return "nullptr"
        return f"object<{HANDLES[a.base]}, Kind::{a.base}>({'*' if a.form else ''}{a.name})"


def rows(name):
    for line in (HERE / name).read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            yield line


def read_functions():
    functions = [Function(line) for line in rows("functions.table")]
    large = read_large()
    for f in functions:
        f.larger = large.get(f.name, {})
        for a in f.arguments:
            a.is_wide = f.name not in LARGE_CORES and f.larger.get(a.name) in ("count", "aint", "count[]", "aint[]")
    return functions


# Open MPI 5 has the count of these as MPI-4.0 first did: an MPI_Count, in Fortran, too, and no form with `_c`. An
# erratum has made an int of it, and a form with `_c` (mpi-forum/mpi-issues 765), but programs that were built for
# Open MPI hand over eight bytes.
COUNTS_OF_OPENMPI = {"Psend_init", "Precv_init"}


def read_functions_of_openmpi():
    functions = read_functions()
    for f in functions:
        for a in f.arguments:
            if f.name in COUNTS_OF_OPENMPI and a.name == "count":
                a.kind = a.base = "count"
    return functions


def read_tools():
    return [[field.strip() for field in line.split("|")] for line in rows("tools.table")]


def read_objects():
    return [[field.strip() for field in line.split("|")] for line in rows("predefined.table")]


# --- of the core ----------------------------------------------------------------------------------------------------

FORWARD = "".join(f"struct {name};\n" for name in sorted(set(HANDLES.values())))


def functions_header(functions):
    names = [f for f in functions if not f.converts]
    groups = sorted({f.group for f in names if f.group})
    lines = [HEADER, "#pragma once\n#include <array>\n#include <cstdint>\n#include <string_view>\n\nnamespace nasvm::mpi {\n\n"]
    lines.append("enum class Function : std::uint16_t {\n")
    lines += [f"  {f.name},\n" for f in names]
    lines.append("};\n")
    lines.append(f"inline constexpr std::size_t function_count = {len(names)};\n")
    lines.append("enum class Timed : std::uint8_t { no, yes, unless_quick };\n")
    lines.append("struct FunctionFacts {\n  std::string_view name, group;\n};\n")
    lines.append("inline constexpr std::array<FunctionFacts, function_count> function_facts{{\n")
    lines += [f'    {{"{f.name}", "{f.group}"}},\n' for f in names]
    lines.append("}};\n")
    lines.append("inline std::string_view name_of(Function function) {\n"
                 "  return function_facts[static_cast<std::size_t>(function)].name;\n}\n")
    lines.append("\n}  // namespace nasvm::mpi\n")
    assert groups
    return "".join(lines)


def predefined_header(objects):
    lines = [HEADER, "#pragma once\n#include <string_view>\n#include \"vm/abi/mpi/element.hpp\"\n\nnamespace nasvm::mpi {\n\n",
             "struct PredefinedType {\n  std::string_view name;\n  Element element;\n};\n",
             "inline constexpr PredefinedType predefined_types[] = {\n"]
    for kind, name, _, _, _, *element in objects:
        if kind == "type":
            called = {"C_FLOAT_COMPLEX": "C_COMPLEX"}.get(name, name)  # of two names of one object the standard's first
            lines.append(f'    {{"MPI_{called}", Element::{element[0]}}},\n')
    lines.append("};\n\n}  // namespace nasvm::mpi\n")
    return "".join(lines)


def api_header(functions):
    lines = [HEADER, "#pragma once\n#include <cstddef>\n#include \"vm/abi/mpi/seam.hpp\"\n#include \"vm/abi/mpi/status.hpp\"\n",
             "#include \"vm/abi/mpi/numbers.hpp\"\n\n",
             "namespace nasvm::mpi {\n\n", FORWARD, "\nnamespace api {\n\n"]
    for f in functions:
        if f.has_core:
            declaration = f"void {f.core}({f.parameters('core_type')});\n"
            lines.append(declaration)
            # Results that may be larger have a second form.
            results = [a for a in f.arguments if a.form and a.base == "int" and a.name in f.larger]
            if results and f.name not in LARGE_CORES:
                for a in results:
                    declaration = declaration.replace(f"int* {a.name}", f"long long* {a.name}")
                lines.append(declaration)
    lines.append("\n}  // namespace api\n}  // namespace nasvm::mpi\n")
    return "".join(lines)


def background_source(functions):
    lines = [HEADER, "#include <vector>\n#include \"mpi_api.hpp\"\n#include \"vm/abi/mpi/operation.hpp\"\n"
             "#include \"vm/abi/mpi/request.hpp\"\n#include \"vm/abi/mpi/topology.hpp\"\n\nnamespace nasvm::mpi::api {\n"]
    for f in functions:
        if f.group not in ("nonblocking", "persistent"):
            continue
        body = [a for a in f.arguments if a.name not in ("request", "info")]
        parameters = f.parameters("core_type").replace("Info* info", "Info*")
        lines.append(f"\nvoid {f.core}({parameters}) {{\n  check_comm(comm);\n")
        captured = []
        passed = []
        for a in body:
            if a.is_handle and a.is_array:
                # The face's array is gone when the job goes on.
                count = {"comm": "comm->peers()"}.get(a.length)
                if count is None:
                    side = "sources" if a.length == "indegree" else "destinations"
                    count = f"neighbours_of(*comm).{side}.size()"
                lines.append(f"  std::vector<Ref<Datatype>> kept_{a.name};\n"
                             f"  std::vector<Datatype*> of_{a.name};\n"
                             f"  for (std::size_t i = 0; {a.name} != nullptr && i < static_cast<std::size_t>({count}); ++i) {{\n"
                             f"    kept_{a.name}.emplace_back({a.name}[i]);\n    of_{a.name}.push_back({a.name}[i]);\n  }}\n")
                captured += [f"kept_{a.name} = std::move(kept_{a.name})", f"of_{a.name} = std::move(of_{a.name})"]
                passed.append(f"of_{a.name}.data()")
                continue
            if a.base in ("type", "op"):
                captured.append(f"kept_{a.name} = Ref<{HANDLES[a.base]}>({a.name})")
                passed.append(f"kept_{a.name}.get()")
                continue
            captured.append(a.name)
            passed.append(a.name)
        starting = "start_job" if f.group == "nonblocking" else "describe_job"
        lines.append(f"  request = {starting}(*comm, [{', '.join(captured)}] "
                     f"{{ {f.blocking_core}({', '.join(passed)}); }});\n}}\n")
    lines.append("\n}  // namespace nasvm::mpi::api\n")
    return "".join(lines)


# --- the face: Open MPI's binary interface --------------------------------------------------------------------------

def alias(new, old, weak=True):
    return f'asm(".{"weak" if weak else "globl"} {new}\\n.type {new},@function\\n.set {new}, {old}");\n'


def objects_source(objects):
    lines = [HEADER, "#include \"vm/abi/mpi/face/predefined_handles.hpp\"\n#include \"vm/abi/mpi/openmpi/stand_in.hpp\"\n\nnamespace nasvm::mpi::face {\n\nextern \"C\" {\n"]
    numbers = {}
    by_kind = {kind: [] for kind in KINDS}
    for kind, _, symbol, size, fortran, *_ in objects:
        number = numbers.get(kind, 0)
        numbers[kind] = number + 1
        by_kind[kind].append((symbol, int(fortran)))
        lines.append(f"{EXPORTED} extern StandIn<{size}> {symbol};\n")
        lines.append(f"{EXPORTED} StandIn<{size}> {symbol}{{word_of(Kind::{kind}, {number}), {{}}}};\n")
    lines.append("}\n\n")
    for kind, entries in by_kind.items():
        lines.append(f"static void* const of_{kind}[] = {{{', '.join('&' + s for s, _ in entries)}}};\n")
        lines.append(f"static constexpr int numbers_of_{kind}[] = {{{', '.join(str(n) for _, n in entries)}}};\n")
    lines.append("\nPredefinedHandles predefined_handles(Kind kind) {\n  switch (kind) {\n")
    for kind in by_kind:
        lines.append(f"    case Kind::{kind}:\n      return {{of_{kind}, numbers_of_{kind}}};\n")
    lines.append("    default:\n      return {};\n  }\n}\n\n}  // namespace nasvm::mpi::face\n")
    return "".join(lines)


def c_source(functions, with_extensions=False):
    """The functions of a face. `with_extensions`: also by the names that Open MPI had for some before MPI-4."""
    lines = [HEADER, "#include \"mpi_api.hpp\"\n#include \"vm/abi/mpi/call.hpp\"\n#include \"vm/abi/mpi/face/handles.hpp\"\n\n"
             "using namespace nasvm::mpi;\nusing namespace nasvm::mpi::face;\n\n"
             "// Only declared by what calls them: programs.\n#pragma GCC diagnostic ignored \"-Wmissing-declarations\"\n\n"
             "extern \"C\" {\n"]
    for f in functions:
        full = f"MPI_{f.name}"
        if f.is_missing:
            lines.append(f"{EXPORTED} void P{full}() {{ complain_of_missing(\"{full}\"); }}\n")
        elif f.converts:
            base = f.name.split("_")[0].lower()
            if f.name.endswith("c2f"):
                lines.append(f"{EXPORTED} int P{full}(void* handle) {{ return fortran_of(Kind::{base}, handle); }}\n")
            else:
                lines.append(f"{EXPORTED} void* P{full}(int number) {{ return handle_of(Kind::{base}, number); }}\n")
        elif not f.in_both:
            argument = f.concerned_argument()
            # Looked up once, where it is handed on as well.
            once = argument is not None and argument.form == "" and not f.at_any_time
            arguments = ", ".join("concerned" if once and a is argument else a.to_core() for a in f.arguments)
            around = "call_at_any_time" if f.at_any_time else f"call<Timed::{f.timed()}>"
            concerned = "" if f.at_any_time else f" {'concerned' if once else f.concerned()},"
            lines.append(f"{EXPORTED} int P{full}({f.parameters('c_type')}) {{\n"
                         + (f"  auto* const concerned = {f.concerned()};\n" if once else "")
                         + f"  return {around}(Function::{f.name},{concerned} [&] {{ api::{f.core}({arguments}); }});\n}}\n")
        if not f.in_both:
            lines.append(alias(full, f"P{full}"))
        if with_extensions and f.group == "persistent":
            lines += [alias(f"{prefix}MPIX_{f.name}", f"P{full}") for prefix in ("", "P")]
    lines.append("}\n")
    return "".join(lines)


# What the module of `use mpi` calls by a name of its own, where an address comes back as a type(c_ptr).
WITH_POINTERS = {"alloc_mem", "win_allocate", "win_allocate_shared", "win_shared_query"}


def fortran_names(core, interface="mpi"):
    """All spellings of a Fortran procedure that compilers make."""
    for prefix in (f"{interface}_", f"p{interface}_"):
        name = prefix + core
        yield from (name, name + "_", name + "__", name.upper())


def fortran_aliases(core, is_persistent=False):
    """All names for ompi_CORE_f, with those that Open MPI had for persistent collectives before MPI-4."""
    names = [*fortran_names(core)]
    if core in WITH_POINTERS:
        names += fortran_names(f"{core}_cptr")
    if is_persistent:
        names += [*fortran_names(core, "mpix"), f"ompix_{core}_f"]
    return [alias(name, f"ompi_{core}_f") for name in names]


def fortran_procedure(f):
    parameters, before, passed, after, lengths = [], [], [], [], []
    short = f.name in SHORT_ADDRESSES
    for a in f.arguments:
        n = a.name
        if a.base in ("cbuffer", "buffer"):
            parameters.append(f"void* {n}")
            passed.append(f"address_of({n})")
        elif a.base in ("status", "cstatus"):
            parameters.append(f"int* {n}")
            count = a.length if a.is_array else "1"
            if a.is_array and any(b.name == a.length for b in f.arguments):
                count = f"*{a.length}"
            one = "Statuses" if a.is_array else "OneStatus"
            before.append(f"{one} c_{n}({n}, {count});")
            passed.append(f"c_{n}.get()")
            if a.base == "status":
                after.append(f"c_{n}.give_back();")
        elif a.is_handle:
            parameters.append(f"int* {n}")
            kind = f"Kind::{a.base}"
            if a.is_array:
                count = a.count() if a.length in ("comm", "indegree", "outdegree") else f"*{a.length}"
                count = re.sub(r"\(comm\)", "(handle_of(Kind::comm, *comm))", count)
                count = count.replace("is_in_place(sendbuf)", "is_in_place(address_of(sendbuf))")
                before.append(f"Handles c_{n}({kind}, {n}, {count}, {'false' if a.form == '*' else 'true'});")
                passed.append(f"c_{n}.get()")
                if a.form:
                    after.append(f"c_{n}.give_back();")
            elif a.form:
                start = f"handle_of({kind}, *{n})" if a.form == "~" else "nullptr"
                before.append(f"void* c_{n} = {start};")
                passed.append(f"&c_{n}")
                condition = "" if a.form == "~" else "if (returned == 0) "
                after.append(f"{condition}*{n} = fortran_of({kind}, c_{n});")
            else:
                passed.append(f"handle_of({kind}, *{n})")
        elif a.base == "string":
            parameters.append(f"char* {n}")
            lengths.append(f"std::size_t length_of_{n}")
            if a.form:
                before.append(f"std::array<char, max_text> c_{n}{{}};")
                passed.append(f"c_{n}.data()")
                after.append(f"if (returned == 0) fill({n}, length_of_{n}, c_{n}.data());")
            else:
                taken = "info_text_of" if f.name.startswith("Info_") else "text_of"
                before.append(f"const std::string c_{n} = {taken}({n}, length_of_{n});")
                passed.append(f"c_{n}.c_str()")
        elif a.base == "weights":
            parameters.append(f"int* {n}")
            passed.append(f"weights_of({n})")
        elif a.base == "aint" and short:
            parameters.append(f"int* {n}")
            if a.is_array:
                before.append(f"const std::vector<std::ptrdiff_t> c_{n}({n}, {n} + *{a.length});")
                passed.append(f"c_{n}.data()")
            elif a.form:
                before.append(f"std::ptrdiff_t c_{n} = 0;")
                passed.append(f"&c_{n}")
                after.append(f"*{n} = static_cast<int>(c_{n});")
            else:
                passed.append(f"*{n}")
        elif a.base == "triple":
            parameters.append(f"const int (*{n})[3]")
            passed.append(n)
        elif a.base == "index":
            parameters.append(f"int* {n}")
            passed.append(n)
            if a.is_array:
                after.append(f"for (int i = 0; i < *{a.length}; ++i) ++{n}[i];")
            else:
                # Of a call that fails, too, it says which one it was.
                before.append(f"*{n} = undefined;")
                after.append(f"if (*{n} != undefined) ++*{n};")
        else:
            plain = {"int": "int", "logical": "int", "aint": "std::ptrdiff_t", "count": "long long"}[a.base]
            parameters.append(f"{plain}* {n}")
            by_value = not a.form and not a.is_array
            passed.append(f"*{n}" if by_value else n)
    parameters.append("int* ierror")
    parameters += lengths
    lines = [f"{EXPORTED} void ompi_{f.core}_f({', '.join(parameters)}) {{\n"]
    lines += [f"  {line}\n" for line in before]
    lines.append(f"  const int returned = PMPI_{f.name}({', '.join(passed)});\n")
    lines += [f"  {line}\n" for line in after]
    lines.append("  if (ierror != nullptr) *ierror = returned;\n}\n")
    return "".join(lines)


def fortran_source(functions):
    lines = [HEADER, "#include <array>\n#include <string>\n#include <vector>\n\n#include \"vm/abi/mpi/call.hpp\"\n"
             "#include \"vm/abi/mpi/openmpi/fortran.hpp\"\n\nusing namespace nasvm::mpi;\nusing namespace nasvm::mpi::face;\n\n"
             "#pragma GCC diagnostic ignored \"-Wmissing-declarations\"\n\nextern \"C\" {\n"]
    for f in functions:
        if f.converts:
            continue
        if f.has_core and not f.by_hand:
            lines.append(f"int PMPI_{f.name}({f.parameters('c_type')});\n")
            lines.append(fortran_procedure(f))
        elif f.is_missing:
            lines.append(f"{EXPORTED} void ompi_{f.core}_f() {{ complain_of_missing(\"MPI_{f.name}\"); }}\n")
        else:
            continue
        lines += fortran_aliases(f.core, f.group == "persistent")
    lines.append("}\n")
    return "".join(lines)


# Procedures of Fortran that are no functions of C, or have another name there.
FORTRAN_ALONE = ["aint_add", "aint_diff", "f_sync_reg", "comm_dup_fn", "comm_null_copy_fn", "comm_null_delete_fn",
                 "dup_fn", "null_copy_fn", "null_delete_fn", "type_dup_fn", "type_null_copy_fn", "type_null_delete_fn",
                 "win_dup_fn", "win_null_copy_fn", "win_null_delete_fn"]


def c_names(functions):
    """Names for what face/c_by_hand.cpp defines."""
    return HEADER + "".join(alias(f"MPI_{f.name}", f"PMPI_{f.name}") for f in functions if f.in_both)


TOOLS_ANSWERS = {
    "none": "int PMPI_T_{name}(int* number) {{ return answer_none(number); }}",
    "index": "int PMPI_T_{name}() {{ return answer(t_err_invalid_index); }}",
    "name": "int PMPI_T_{name}() {{ return answer(t_err_invalid_name); }}",
    "handle": "int PMPI_T_{name}() {{ return answer(t_err_invalid_handle); }}",
}


def tools_source():
    """What face/tools.cpp does not define by hand, and names for all of it."""
    lines = [HEADER]
    for name, answer, _ in read_tools():
        if answer != "by hand":
            lines.append(TOOLS_ANSWERS[answer].format(name=name) + "\n")
        lines.append(alias(f"MPI_T_{name}", f"PMPI_T_{name}"))
    return "".join(lines)


def constant_names():
    """Names for what openmpi/c_by_hand.cpp defines."""
    lines = [HEADER]
    for name in ("DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN"):
        for holder in ("", "TYPE_", "WIN_"):
            lines.append(alias(f"OMPI_C_MPI_{holder}{name}", f"OMPI_C_MPI_COMM_{name}", weak=False))
    return "".join(lines)


def fortran_by_hand_names(functions):
    """Names for what openmpi/fortran_by_hand.cpp defines."""
    cores = [f.core for f in functions if f.by_hand and not f.name.startswith("Status_")] + FORTRAN_ALONE
    return HEADER + "".join(name for core in cores for name in fortran_aliases(core))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    functions = read_functions()
    functions_of_openmpi = read_functions_of_openmpi()
    objects = read_objects()
    write(folder / "mpi_functions.hpp", functions_header(functions))
    write(folder / "mpi_predefined.hpp", predefined_header(objects))
    write(folder / "mpi_api.hpp", api_header(functions))
    write(folder / "mpi_background.cpp", background_source(functions))
    write(folder / "openmpi_objects.cpp", objects_source(objects))
    write(folder / "openmpi_c.cpp", c_source(functions_of_openmpi, with_extensions=True))
    write(folder / "face_c_names.hpp", c_names(functions))
    write(folder / "face_tools.hpp", tools_source())
    write(folder / "openmpi_constant_names.hpp", constant_names())
    write(folder / "openmpi_fortran_names.hpp", fortran_by_hand_names(functions))
    write(folder / "openmpi_fortran.cpp", fortran_source(functions_of_openmpi))
    for name, text in standard.files(functions).items():
        write(folder / name, text)
    write(folder / "include/mpif.h", fortran_header.header())


if __name__ == "__main__":
    import fortran_header  # these import this file
    import standard
    main()
