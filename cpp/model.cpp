// model.cpp: internal frames, inertias about the bodies' origins, and the plan of the sweeps over the tree.
#define PHIPSI_ISA describing
#include "model.hpp"

#include <stdexcept>

#include "joints.hpp"

namespace phipsi {

namespace {

using namespace describing;

[[noreturn]] void refuse(int k, const std::string& why) {
  throw std::invalid_argument("body " + std::to_string(k) + ": " + why);
}

// Products of 3×3 matrices whose storage is told by (row step, column step)
struct View {
  const double* at;
  int row, column;
  double operator()(int i, int j) const { return at[i * row + j * column]; }
};
View by_rows(const double* p) { return {p, 3, 1}; }
View by_columns(const double* p) { return {p, 1, 3}; }
View transposed(View v) { return {v.at, v.column, v.row}; }

void multiply(View a, View b, double* by_columns_out) {
  double product[9];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += a(i, k) * b(k, j);
      product[3 * j + i] = sum;
    }
  for (int i = 0; i < 9; ++i) by_columns_out[i] = product[i];
}

void multiply(View a, const double* x, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = a(i, 0) * x[0] + a(i, 1) * x[1] + a(i, 2) * x[2];
}

const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// [a, b] = ad(a) b for twists [w; v]
void bracket(const double* a, const double* b, double* out) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
    out[3 + i] = a[j] * b[3 + k] - a[k] * b[3 + j] + a[3 + j] * b[k] - a[3 + k] * b[j];
  }
}

bool commute(const double* columns, int m) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j) {
      double c[6], size = 0, left = 0;
      bracket(columns + 6 * i, columns + 6 * j, c);
      for (int r = 0; r < 6; ++r) {
        size += columns[6 * i + r] * columns[6 * i + r] + columns[6 * j + r] * columns[6 * j + r];
        left += c[r] * c[r];
      }
      if (left > 1e-24 * size * size) return false;
    }
  return true;
}

}  // namespace

std::vector<JointType> joint_types() {
  std::vector<JointType> types;
#define X(J) types.push_back({J::name, J::parameters, J::q_labels, J::v_labels, J::nq, J::nv});
  PHIPSI_JOINTS(X)
#undef X
  return types;
}

Model::Model(const Description& d) {
  const int n = static_cast<int>(d.parent.size());
  body_.resize(n);
  for (int k = 0; k < n; ++k) {
    if (d.parent[k] < -1 || d.parent[k] >= k) refuse(k, "its parent must be an earlier body, or -1 for the world");
    if (d.kind[k] < 0 || d.kind[k] >= joint_kinds) refuse(k, "unknown kind of joint " + std::to_string(d.kind[k]));
    add_joint(k, d);
    add_placement(k, d);
    add_inertia(k, d);
  }
  if (static_cast<int>(d.armature.size()) != tree_.nv)
    throw std::invalid_argument("armature must have " + std::to_string(tree_.nv) + " numbers, one per dof");
  armature_ = d.armature;
  for (double x : armature_) tree_.rooted |= x != 0.0;
  // a rotor spoils the short cut for free joints: D(k) is no longer P(k) in other axes
  for (Body& b : body_) {
    if (b.shape != Shape::free) continue;
    for (int i = 0; i < b.nv; ++i)
      if (armature_[b.v + i] != 0.0) b.shape = Shape::dense;
  }
  plan_branches();
  tree_.n = n;
  tree_.body = body_.data();
  tree_.armature = armature_.data();
  tree_.fixed_columns = fixed_columns_.data();
  tree_.inverse_columns = inverse_columns_.data();
  tree_.body_of_dof = body_of_dof_.data();
  for (int i = 0; i < 3; ++i) tree_.gravity[i] = d.gravity[i];
}

void Model::add_joint(int k, const Description& d) {
  Body& b = body_[k];
  const double* parameters = d.parameters.data() + d.parameter_offset[k];
  const int count = d.parameter_offset[k + 1] - d.parameter_offset[k];
  b.parent = d.parent[k];
  b.kind = d.kind[k];
  b.user_joint = k;
  with_joint(b.kind, [&](auto joint) {
    using J = decltype(joint);
    b.shape = J::shape;
    b.nq = J::nq;
    b.nv = J::nv;
    if (J::nv < 0) {  // custom
      if (count % 6 != 0 || count == 0 || count > 36) refuse(k, "a custom joint needs one to six columns");
      b.nv = count / 6;
      b.nq = commute(parameters, b.nv) ? b.nv : 7;
    }
    b.q = tree_.nq;
    b.v = tree_.nv;
    b.block = tree_.blocks;
    tree_.blocks += b.nv * b.nv;
    b.column = b.shape == Shape::dense || b.shape == Shape::free ? tree_.columns : 0;
    if (b.shape == Shape::dense || b.shape == Shape::free) tree_.columns += b.nv;
    tree_.nq += b.nq;
    tree_.nv += b.nv;
    fixed_columns_.resize(6 * static_cast<size_t>(tree_.nv), 0.0);
    inverse_columns_.resize(6 * static_cast<size_t>(tree_.nv), 0.0);
    body_of_dof_.resize(tree_.nv, k);
    J::align(parameters, b.align);
    J::fill(parameters, b, fixed_columns_.data() + 6 * b.v);
  });
  if (b.kind == kind_Custom) invert_columns(b);
}

// rows of (H Hᵀ)⁻¹ H: the rates of a twist in the span of the columns
void Model::invert_columns(const Body& b) {
  const double* h = fixed_columns_.data() + 6 * b.v;
  double* out = inverse_columns_.data() + 6 * b.v;
  const int m = b.nv;
  double A[6][12] = {};
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j)
      for (int r = 0; r < 6; ++r) A[i][j] += h[6 * i + r] * h[6 * j + r];
    for (int r = 0; r < 6; ++r) A[i][6 + r] = h[6 * i + r];
  }
  for (int j = 0; j < m; ++j) {
    int pivot = j;
    for (int i = j + 1; i < m; ++i)
      if (fabs(A[i][j]) > fabs(A[pivot][j])) pivot = i;
    if (fabs(A[pivot][j]) < 1e-12) refuse(b.user_joint, "the columns of a custom joint must be independent");
    for (int c = 0; c < 12; ++c) std::swap(A[j][c], A[pivot][c]);
    for (int i = 0; i < m; ++i) {
      if (i == j) continue;
      const double f = A[i][j] / A[j][j];
      for (int c = j; c < 12; ++c) A[i][c] -= f * A[j][c];
    }
  }
  for (int i = 0; i < m; ++i)
    for (int r = 0; r < 6; ++r) out[6 * i + r] = A[i][6 + r] / A[i][i];
}

// parent's body axes → internal axes on both sides
void Model::add_placement(int k, const Description& d) {
  Body& b = body_[k];
  const View parent = transposed(by_columns(b.parent < 0 ? identity : body_[b.parent].align));
  multiply(by_rows(d.rotation.data() + 9 * k), by_columns(b.align), b.rotation);
  multiply(parent, by_columns(b.rotation), b.rotation);
  multiply(parent, d.position.data() + 3 * k, b.position);
}

void Model::add_inertia(int k, const Description& d) {
  Body& b = body_[k];
  const View turn = transposed(by_columns(b.align));
  double c[3], J[9];
  multiply(turn, d.com.data() + 3 * k, c);
  multiply(turn, by_rows(d.inertia.data() + 9 * k), J);
  multiply(by_columns(J), by_columns(b.align), J);
  b.mass = d.mass[k];
  for (int i = 0; i < 3; ++i) b.mc[i] = b.mass * c[i];
  // about the origin: J + m (c·c 1 - c cᵀ)
  const double m = b.mass;
  b.J[0] = J[0] + m * (c[1] * c[1] + c[2] * c[2]);
  b.J[1] = J[4] + m * (c[0] * c[0] + c[2] * c[2]);
  b.J[2] = J[8] + m * (c[0] * c[0] + c[1] * c[1]);
  b.J[3] = 0.5 * (J[1] + J[3]) - m * c[0] * c[1];
  b.J[4] = 0.5 * (J[2] + J[6]) - m * c[0] * c[2];
  b.J[5] = 0.5 * (J[5] + J[7]) - m * c[1] * c[2];
}

// A body whose parent comes right before it hands its contribution on in registers; the others need a slot.
void Model::plan_branches() {
  const int n = static_cast<int>(body_.size());
  for (Body& b : body_) b.slot = b.parent_slot = -1, b.first_in_slot = 0;
  for (int k = n - 1; k >= 0; --k) {
    Body& b = body_[k];
    if (b.parent < 0 || b.parent == k - 1) continue;
    Body& p = body_[b.parent];
    b.first_in_slot = p.slot < 0;
    if (p.slot < 0) p.slot = tree_.slots++;
    b.parent_slot = p.slot;
  }
}

std::vector<double> Model::neutral() const {
  std::vector<double> q(tree_.nq);
  for (const Body& b : body_) with_joint(b.kind, [&](auto joint) { joint.neutral(b, q.data() + b.q); });
  return q;
}

Request Model::target(int body, const double* rotation, const double* position) const {
  Request request;
  request.body = body;
  const View turn = transposed(by_columns(body < 0 ? identity : body_[body].align));
  multiply(turn, by_rows(rotation), request.rotation);
  multiply(turn, position, request.position);
  return request;
}

}  // namespace phipsi
