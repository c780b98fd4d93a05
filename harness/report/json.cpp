#include "harness/report/formats.hpp"

namespace nasvm {

std::string render_json(std::span<const Source> sources) {
  if (sources.size() == 1) return to_json(sources.front().document);
  std::string text = "[";
  for (const Source& source : sources) {
    if (text.size() > 1) text += ",";
    text += '\n';
    text += to_json(source.document);
  }
  return text + "]\n";
}

}  // namespace nasvm
