// robots.hpp: random robots and states for the native tests.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "model.hpp"

namespace phipsi::tests {

using Random = std::mt19937_64;

inline double normal(Random& random) { return std::normal_distribution<double>()(random); }

inline void unit3(Random& random, double* axis) {
  double norm = 0;
  for (int i = 0; i < 3; ++i) {
    axis[i] = normal(random);
    norm += axis[i] * axis[i];
  }
  for (int i = 0; i < 3; ++i) axis[i] /= std::sqrt(norm);
}

// A rotation matrix, row by row
inline void rotation3(Random& random, double* R) {
  double q[4], norm = 0;
  for (double& x : q) {
    x = normal(random);
    norm += x * x;
  }
  for (double& x : q) x /= std::sqrt(norm);
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  for (int i = 0; i < 9; ++i) R[i] = rows[i];
}

inline std::vector<double> parameters_of(Random& random, const std::string& kind) {
  double a[3], b[3];
  unit3(random, a);
  unit3(random, b);
  if (kind == "revolute" || kind == "prismatic" || kind == "cylindrical") return {a[0], a[1], a[2]};
  if (kind == "helical") return {a[0], a[1], a[2], 0.1};
  if (kind == "universal") return {a[0], a[1], a[2], b[0], b[1], b[2]};
  if (kind == "planar") return {0, 1, 0, 0, 0, 1};
  if (kind == "custom") return {0, 0, 1, 0, 0.2, 0, 0, 0, 0, 0, 0, 1};  // a screw about z, and a slide along it
  return {};
}

enum class Form { chain, tree };

// Joint types in turn, starting with `first`.
inline Description describe(Random& random, int n, int first, Form form, bool armature) {
  const auto types = joint_types();
  Description d;
  d.parameter_offset = {0};
  int nv = 0;
  for (int k = 0; k < n; ++k) {
    const int kind = (first + k) % static_cast<int>(types.size());
    const auto parameters = parameters_of(random, types[kind].name);
    d.kind.push_back(kind);
    d.parent.push_back(form == Form::chain || k == 0 ? k - 1 : static_cast<int>(random() % (k + 1)) - 1);
    d.parameters.insert(d.parameters.end(), parameters.begin(), parameters.end());
    d.parameter_offset.push_back(static_cast<int>(d.parameters.size()));
    nv += types[kind].nv < 0 ? static_cast<int>(parameters.size()) / 6 : types[kind].nv;
    double R[9];
    rotation3(random, R);
    d.rotation.insert(d.rotation.end(), R, R + 9);
    for (int i = 0; i < 9; ++i) d.inertia.push_back(i % 4 == 0 ? 0.1 + 0.01 * i : 0.005);
    for (int i = 0; i < 3; ++i) {
      d.position.push_back(0.3 * normal(random));
      d.com.push_back(0.1 * normal(random));
    }
    d.mass.push_back(1.0 + 0.1 * k);
  }
  d.gravity = {0.3, -0.2, -9.81};
  for (int i = 0; i < nv; ++i) d.armature.push_back(armature ? 0.05 : 0.0);
  return d;
}

inline std::vector<double> numbers(Random& random, int64_t count) {
  std::vector<double> x(count);
  for (double& value : x) value = normal(random);
  return x;
}

}  // namespace phipsi::tests
