// model.hpp: builds the flat arrays of tree.hpp from what Python says about a robot, once and for all.
#pragma once

#include <string>
#include <vector>

#include "tree.hpp"

namespace phipsi {

// A robot as described: body frames, body axes, parameters as in model/joints.py.
struct Description {
  std::vector<int32_t> parent, kind, parameter_offset;
  std::vector<double> parameters;
  std::vector<double> rotation, position;        // n × 9 (row by row), n × 3
  std::vector<double> mass, com, inertia;        // n, n × 3, n × 9 (about the mass centre)
  std::vector<double> armature, gravity;         // nv, 3
};

struct JointType {
  std::string name, parameters, q_labels, v_labels;
  int nq, nv;  // -1: depends on the parameters
};
std::vector<JointType> joint_types();

// Owns the arrays of one robot. Immutable; movable but not copied, because the tree points into it.
class Model {
 public:
  explicit Model(const Description& description);  // throws std::invalid_argument
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Tree& tree() const { return tree_; }
  std::vector<double> neutral() const;
  // A frame given in a body's axes (row by row), as a request that kernels understand
  Request target(int body, const double* rotation, const double* position) const;

 private:
  void add_joint(int k, const Description& description);
  void add_placement(int k, const Description& description);
  void add_inertia(int k, const Description& description);
  void invert_columns(const Body& body);
  void plan_branches();

  Tree tree_{};
  std::vector<Body> body_;
  std::vector<double> armature_, fixed_columns_, inverse_columns_;
  std::vector<int32_t> body_of_dof_;
};

}  // namespace phipsi
