// SPDX-License-Identifier: Apache-2.0
#include "metadata.h"

#include "report.h"

namespace gaspipe {
namespace card {
namespace {

// The text between < and >.
class Tag {
 public:
  explicit Tag(std::string text) : text_(std::move(text)), name_(text_.substr(0, text_.find_first_of(" /"))) {}

  const std::string& name() const { return name_; }
  std::string text(const std::string& attribute) const {
    const std::string starts = " " + attribute + "=\"";
    const std::size_t at = text_.find(starts);
    if (at == std::string::npos) die("the xclbin's metadata: <" + text_ + "> has no " + attribute);
    const std::size_t first = at + starts.size();
    return text_.substr(first, text_.find('"', first) - first);
  }
  std::uint64_t number(const std::string& attribute) const { return std::stoull(text(attribute), nullptr, 0); }

 private:
  std::string text_, name_;
};

Unit& unit_called(Metadata& metadata, const std::string& name) {
  for (Unit& unit : metadata.units) {
    if (unit.name == name) return unit;
  }
  die("the xclbin's metadata connect " + name + ", which is no compute unit");
}

}  // namespace

Metadata read_metadata(const std::string& xml) {
  enum : std::uint64_t { kScalar = 0, kGlobal = 1, kStream = 4 };
  Metadata metadata;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string::npos;) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) die("the xclbin's metadata end within a tag");
    const Tag tag(xml.substr(at + 1, end - at - 1));
    at = end;
    if (tag.name() == "kernel") {
      metadata.kernels.emplace_back();
      metadata.kernels.back().name = tag.text("name");
    } else if (tag.name() == "port" && tag.text("mode") == "slave") {
      metadata.kernels.back().register_bytes = tag.number("range");
    } else if (tag.name() == "arg") {
      const std::uint64_t qualifier = tag.number("addressQualifier");
      if (qualifier != kScalar && qualifier != kGlobal && qualifier != kStream) {
        die("the argument " + tag.text("name") + " is of unknown kind");
      }
      metadata.kernels.back().arguments.push_back(
          {tag.text("name"), qualifier == kGlobal, qualifier == kStream, tag.number("offset")});
    } else if (tag.name() == "instance") {
      metadata.units.push_back({tag.text("name"), metadata.kernels.size() - 1, 0, {}});
    } else if (tag.name() == "addrRemap") {
      metadata.units.back().base = tag.number("base");
    } else if (tag.name() == "connection") {
      Unit& unit = unit_called(metadata, tag.text("srcInst"));
      if (tag.text("dstType") == "kernel") {
        unit_called(metadata, tag.text("dstInst"));
        metadata.links.push_back({unit.name, tag.text("srcPort"), tag.text("dstInst"), tag.text("dstPort")});
        continue;
      }
      unit.banks[tag.text("srcPort")].insert(tag.number("dstPort"));
    } else if (tag.name() == "memory") {
      metadata.banks.push_back({tag.text("name"), tag.number("size")});
    }
  }
  return metadata;
}

}  // namespace card
}  // namespace gaspipe
