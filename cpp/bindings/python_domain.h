// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.Domain: a domain, and what tells who owns a vertex that is not its own.
#pragma once

#include <memory>

#include "bindings.h"
#include "gaspipe/domain.h"

namespace gaspipe {
namespace bindings {

struct PythonDomain {
  std::shared_ptr<const Domain> domain;
  std::shared_ptr<const Ownership> ownership;

  py::array ids() const;
  py::array ghost_ids() const;
  py::array ghost_owners() const;
  py::array ghost_first() const;
  py::array mirrors(std::int64_t rank) const;
  py::array to_global(const py::array& locals) const;
  py::array to_local(const py::array& ids) const;
};

}  // namespace bindings
}  // namespace gaspipe
