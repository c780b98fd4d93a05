# The front door. Each target does its own set-up: `make run` on a fresh Debian machine is enough.
# `make help` explains; the work is done by scripts/, which can be called directly as well.

.DEFAULT_GOAL := help
.PHONY: help run test check bench build setup install package clean
.NOTPARALLEL:

upper := KERNEL CLASS NP TRANSPORT THREADS RUNS HOSTFILE OUT ARGS JOBS SETUP PREFIX DESTDIR
lower := kernel class np transport threads runs hostfile out args jobs setup prefix destdir
others := CXX CXXFLAGS LDFLAGS NASVM_CMAKE_ARGS

# $(call hand_over,CLASS,CLASS): if the variable $2 was given, scripts find its text, unexpanded, in MAKE_$1.
# Values travel in the environment and never through a shell's command line, so no character is special.
define hand_over
ifneq ($$(origin $2),undefined)
export MAKE_$1 := $$(value $2)
endif
unexport $2
endef
# Lower-case names count on the command line only: the environment may have a `class` of its own.
typed = $(if $(filter command,$(firstword $(origin $1))),$1)
$(foreach name,$(upper),$(eval $(call hand_over,$(name),$(name))))
$(foreach i,1 2 3 4 5 6 7 8 9 10 11 12 13,$(if $(call typed,$(word $i,$(lower))),\
  $(eval $(call hand_over,$(word $i,$(upper)),$(word $i,$(lower))))))

# A misspelt variable must not silently do something else. Its name may hold anything: it goes to the shell in quotes.
unknown := $(filter-out $(upper) $(lower) $(others),$(foreach v,$(.VARIABLES),$(call typed,$v)))
quoted = '$(subst ','\'',$1)'
meant = $(shell scripts/closest $(call quoted,$1) $(upper) $(others))
ifneq ($(unknown),)
$(error unknown variable: $(foreach v,$(unknown),$v$(foreach m,$(call meant,$v), (did you mean $m?))); known are \
  $(upper), in lower case too, and $(others) (see `make help`))
endif

help:
	@scripts/help

run:
	@scripts/run

test:
	@scripts/test

check:
	@scripts/check

bench:
	@scripts/bench

build:
	@scripts/setup run
	@scripts/build

setup:
	@scripts/setup test

install:
	@scripts/install

package:
	@scripts/package

clean:
	@rm -rf build
