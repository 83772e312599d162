#pragma once

#include <nanobind/nanobind.h>

namespace nocopy::executorch {

void bind_program(nanobind::module_& m);

}  // namespace nocopy::executorch
