#pragma once
/// \file
/// Finds the work that belongs to runs of a document.

#include <string>

#include "harness/document/document.hpp"

namespace nasvm {

/// The record of that case, or nullptr.
inline const WorkRecord* find_work(const Document& document, const std::string& kernel, char problem_class, int np,
                                   const std::string& variant) {
  for (const WorkRecord& work : document.works) {
    if (work.kernel == kernel && work.problem_class == problem_class && work.np == np && work.variant == variant) {
      return &work;
    }
  }
  return nullptr;
}

}  // namespace nasvm
