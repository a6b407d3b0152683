// native_tests.cpp: the kernels without Python, on buffers of exactly the size they may touch: for the sanitizers.
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "batch.hpp"
#include "operators.hpp"
#include "robots.hpp"

namespace phipsi::tests {

namespace {

int failures = 0, checks = 0;

void check(bool good, const char* what, const std::string& where) {
  ++checks;
  if (good) return;
  ++failures;
  std::printf("FAILED %s (%s)\n", what, where.c_str());
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0, size = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::fabs(a[i] - b[i]));
    size = std::max(size, std::fabs(a[i]));
    if (std::isnan(a[i]) != std::isnan(b[i])) return INFINITY;
  }
  return worst / size;
}

std::vector<const InstructionSet*> instruction_sets() {
  std::vector<const InstructionSet*> sets;
#if PHIPSI_HAVE_BASELINE
  sets.push_back(&baseline::instruction_set());
#endif
#if PHIPSI_HAVE_NEON
  sets.push_back(&neon::instruction_set());
#endif
#if PHIPSI_HAVE_AVX2
  if (avx2::instruction_set().supported()) sets.push_back(&avx2::instruction_set());
#endif
#if PHIPSI_HAVE_AVX512
  if (avx512::instruction_set().supported()) sets.push_back(&avx512::instruction_set());
#endif
  return sets;
}

// What each kernel reads and writes, in numbers a state (0: absent).
struct Shape_ {
  KernelId id;
  int64_t in[most_inputs], out[most_outputs];
  int masks = 0;  // 1: the same for all states, 2: each state's own
};
std::vector<Shape_> shapes(const Tree& t) {
  const int64_t q = t.nq, v = t.nv, n = t.n;
  return {{KernelId::InverseDynamics, {q, v, v, 6 * n}, {v, 6 * n}},
          {KernelId::InverseDynamics, {q, v, 0, 0}, {v, 0}},
          {KernelId::InverseDynamics, {q, 0, 0, 0}, {v, 0}},
          {KernelId::ForwardDynamics, {q, v, v, 6 * n}, {v, 0}},
          {KernelId::HybridDynamics, {q, v, v, 6 * n, v}, {v, v, 6 * n, 6 * n}, 1},
          {KernelId::HybridDynamics, {q, v, v, 0, v}, {v, v, 0, 0}, 2},
          {KernelId::MassTimes, {q, 0, v, 0}, {v, 0}},
          {KernelId::MassSolve, {q, 0, v, 0}, {v, 0}},
          {KernelId::MassMatrix, {q, 0, 0, 0}, {v * v, 0}},
          {KernelId::InverseMassMatrix, {q, 0, 0, 0}, {v * v, 0}},
          {KernelId::CoriolisMatrix, {q, v, 0, 0}, {v * v, 0}},
          {KernelId::Poses, {q, 0, 0, 0}, {9 * n, 3 * n}},
          {KernelId::FramePose, {q, 0, 0, 0}, {9, 3}},
          {KernelId::Jacobian, {q, 0, 0, 0}, {6 * v, 0}},
          {KernelId::FrameMotion, {q, v, v, 0}, {6, 6}},
          {KernelId::BodyMotions, {q, v, v, 0}, {6 * n, 6 * n}},
          {KernelId::Momentum, {q, v, 0, 0}, {6, 0}},
          {KernelId::CentroidalMomentumMatrix, {q, 0, 0, 0}, {6 * v, 0}},
          {KernelId::CentroidalMomentumRate, {q, v, 0, 0}, {6, 0}},
          {KernelId::CenterOfMass, {q, 0, 0, 0}, {3, 0}},
          {KernelId::CenterOfMassJacobian, {q, 0, 0, 0}, {3 * v, 0}},
          {KernelId::KineticEnergy, {q, v, 0, 0}, {1, 0}},
          {KernelId::PotentialEnergy, {q, 0, 0, 0}, {1, 0}},
          {KernelId::Integrate, {q, v, 0, 0}, {q, 0}},
          {KernelId::Difference, {q, q, 0, 0}, {v, 0}},
          {KernelId::Normalize, {q, 0, 0, 0}, {q, 0}},
          {KernelId::OperationalSpaceCompliance, {q, 0, 0, 0}, {24 * 24, 0}},
          {KernelId::LinkInertias, {q, 0, 0, 0}, {36 * n, 36 * n}},
          {KernelId::LinkCompliances, {q, 0, 0, 0}, {36 * n, 36 * n}},
          {KernelId::DiagonalRates, {q, v}, {v, v}},
          {KernelId::DiagonalVelocities, {q, v, 0}, {v}},
          {KernelId::DiagonalVelocities, {q, 0, v}, {v}},
          {KernelId::DiagonalDynamics, {q, 0, v, v, 6 * n}, {v, v, 0}},  // ξ alone: paths of its own
          {KernelId::DiagonalDynamics, {q, 0, v, 0, 0}, {0, v, 0}},
          {KernelId::DiagonalDynamics, {q, 0, v, v, 6 * n}, {v, v, v}},
          {KernelId::DiagonalDynamics, {q, v, 0, v, 6 * n}, {v, 0, v}},
          {KernelId::DiagonalCoriolis, {q, v, 0, 0}, {v, 0, 0, 0}},
          {KernelId::DiagonalCoriolis, {q, 0, v, 0}, {0, v, 0, 0}},
          {KernelId::DiagonalCoriolis, {q, 0, 0, v}, {v, v, 36 * n, 36 * n}},
          {KernelId::DiagonalForces, {q, v, 6 * n}, {v, v}},
          {KernelId::DiagonalTorques, {q, v, 0, 6 * n}, {v}},
          {KernelId::DiagonalTorques, {q, 0, v, 0}, {v}}};
}

bool finite(const std::vector<double>& x) {
  for (double value : x)
    if (!std::isfinite(value)) return false;
  return true;
}

// Runs one kernel in memory of exactly the size it asks for, full of NaN: what it did not write itself shows in answers.
std::vector<std::vector<double>> answers(const InstructionSet& set, const Model& model, const Shape_& shape,
                                         const std::vector<std::vector<double>>& in, int64_t states, bool lanes,
                                         bool streaming) {
  const double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, position[3] = {0.1, 0.2, 0.3};
  const Tree& t = model.tree();
  BatchCall call;
  call.request = model.target(t.n - 1, rotation, position);
  call.request.axes = Axes::body;
  const Request frames[] = {model.target(t.n - 1, rotation, position), model.target(t.n / 2, rotation, position),
                            model.target(-1, rotation, position), model.target(t.n - 1, rotation, position)};
  if (shape.id == KernelId::OperationalSpaceCompliance) call.request.frames = frames, call.request.frame_count = 4;
  call.streaming = streaming && lanes;
  std::vector<uint8_t> masks(shape.masks == 0 ? 0 : t.nv * (shape.masks == 1 ? 1 : states));
  for (size_t i = 0; i < masks.size(); ++i) masks[i] = i % 5 < 3;
  if (shape.masks == 1) call.request.passive = masks.data();
  if (shape.masks == 2) call.mask = masks.data(), call.mask_stride = t.nv;
  std::vector<std::vector<double>> out(most_outputs);
  for (int i = 0; i < most_inputs; ++i)
    if (shape.in[i]) call.in[i] = in[i].data(), call.in_width[i] = call.in_stride[i] = shape.in[i];
  for (int i = 0; i < most_outputs; ++i)
    if (shape.out[i]) {
      out[i].assign(shape.out[i] * states, NAN);
      call.out[i] = out[i].data(), call.out_width[i] = shape.out[i];
    }
  const Kernel& kernel = set.kernels[static_cast<int>(shape.id)];
  const size_t bytes = kernel.memory(t, call, lanes);
  void* memory = ::operator new(bytes, std::align_val_t{64});
  std::memset(memory, 0xff, bytes);
  Singular found;
  kernel.run(t, call, 0, states, memory, lanes, found);
  ::operator delete(memory, std::align_val_t{64});
  check(found.count == 0, "no singular state", kernel.name);
  for (const auto& x : out) check(finite(x), "everything answered has been computed", kernel.name);
  return out;
}

// Lanes, remainders, streaming and instruction sets all say the same.
void agree_everywhere(const Model& model, Random& random, const std::string& where) {
  constexpr int64_t states = 11;
  const auto sets = instruction_sets();
  for (const Shape_& shape : shapes(model.tree())) {
    std::vector<std::vector<double>> in(most_inputs);
    for (int i = 0; i < most_inputs; ++i) in[i] = numbers(random, shape.in[i] * states);
    const auto truth = answers(*sets[0], model, shape, in, states, false, false);
    for (const auto* set : sets)
      for (int form = 0; form < 3; ++form) {
        const auto other = answers(*set, model, shape, in, states, form > 0, form > 1);
        const std::string label = where + ", " + set->kernels[static_cast<int>(shape.id)].name + ", " + set->name;
        for (int i = 0; i < most_outputs; ++i)
          check(distance(truth[i], other[i]) < 1e-9, "lanes and instruction sets agree", label);
      }
  }
}

std::vector<double> call(KernelId id, const Model& model, std::initializer_list<const std::vector<double>*> in,
                         std::initializer_list<int64_t> widths, int64_t out_width, int64_t states) {
  BatchCall c;
  int i = 0;
  for (const auto* x : in) c.in[i++] = x->data();
  i = 0;
  for (int64_t width : widths) c.in_width[i] = c.in_stride[i] = width, ++i;
  std::vector<double> out(out_width * states);
  c.out[0] = out.data(), c.out_width[0] = out_width;
  run(id, model.tree(), c, states);
  return out;
}

// a → tau → a, and M M⁻¹ = 1, through the dispatcher and its threads.
void invert(const Model& model, Random& random, const std::string& where) {
  const Tree& t = model.tree();
  const int64_t states = 300, nq = t.nq, nv = t.nv;
  const auto q = numbers(random, nq * states), v = numbers(random, nv * states), a = numbers(random, nv * states);
  const auto tau = call(KernelId::InverseDynamics, model, {&q, &v, &a}, {nq, nv, nv}, nv, states);
  const auto back = call(KernelId::ForwardDynamics, model, {&q, &v, &tau}, {nq, nv, nv}, nv, states);
  check(distance(a, back) < 1e-7, "forward dynamics inverts inverse dynamics", where);
  const auto M = call(KernelId::MassMatrix, model, {&q}, {nq}, nv * nv, states);
  const auto I = call(KernelId::InverseMassMatrix, model, {&q}, {nq}, nv * nv, states);
  double worst = 0;
  for (int64_t s = 0; s < states; ++s)
    for (int64_t i = 0; i < nv; ++i)
      for (int64_t j = 0; j < nv; ++j) {
        double sum = i == j ? -1.0 : 0.0;
        for (int64_t k = 0; k < nv; ++k) sum += M[s * nv * nv + i * nv + k] * I[s * nv * nv + k * nv + j];
        worst = std::max(worst, std::fabs(sum));
      }
  check(worst < 1e-7, "the inverse mass matrix inverts the mass matrix", where);
}

// ν and ξ there and back, ½‖ν‖² the kinetic energy and ν*ν̇ its rate; ξ̇ asked for alone and with ν̇.
void diagonalize(const Model& model, Random& random, const std::string& where) {
  const Tree& t = model.tree();
  const int64_t states = 37, nq = t.nq, nv = t.nv, loads = 6 * t.n;
  using Array = std::vector<double>;
  const Array none, q = numbers(random, nq * states), v = numbers(random, nv * states),
                    tau = numbers(random, nv * states), f_ext = numbers(random, loads * states);
  const auto ask = [&](KernelId id, std::initializer_list<const Array*> in, std::initializer_list<int> wanted) {
    BatchCall c;
    int i = 0;
    for (const Array* x : in) {
      if (!x->empty()) c.in[i] = x->data(), c.in_width[i] = c.in_stride[i] = x->size() / states;
      ++i;
    }
    std::vector<Array> out(most_outputs);
    for (int o : wanted) out[o].assign(nv * states, NAN), c.out[o] = out[o].data(), c.out_width[o] = nv;
    run(id, t, c, states);
    return out;
  };
  const auto rates = ask(KernelId::DiagonalRates, {&q, &v}, {0, 1});
  const Array &nu = rates[0], &xi = rates[1];
  check(distance(v, ask(KernelId::DiagonalVelocities, {&q, &nu}, {0})[0]) < 1e-8, "v from nu", where);
  check(distance(v, ask(KernelId::DiagonalVelocities, {&q, &none, &xi}, {0})[0]) < 1e-8, "v from xi", where);
  const auto forces = ask(KernelId::DiagonalForces, {&q, &tau, &f_ext}, {0, 1});
  for (int i : {0, 1}) {
    const Array &epsilon = i == 0 ? forces[0] : none, &kappa = i == 1 ? forces[1] : none;
    const auto back = ask(KernelId::DiagonalTorques, {&q, &epsilon, &kappa, &f_ext}, {0});
    check(distance(tau, back[0]) < 1e-8, i == 0 ? "tau from epsilon" : "tau from kappa", where);
  }
  const auto in_nu = ask(KernelId::DiagonalDynamics, {&q, &nu, &none, &tau, &f_ext}, {0, 1, 2});
  const auto in_xi = ask(KernelId::DiagonalDynamics, {&q, &none, &xi, &tau, &f_ext}, {0, 1});
  check(distance(v, in_nu[0]) < 1e-8 && distance(v, in_xi[0]) < 1e-8, "v beside the rates of rates", where);
  check(distance(in_nu[1], in_xi[1]) < 1e-8, "the rate of xi, asked for alone or not", where);
  const auto free = ask(KernelId::DiagonalDynamics, {&q, &nu, &none, &tau}, {2});
  const auto weight = call(KernelId::InverseDynamics, model, {&q}, {nq}, nv, states);
  const auto energy = call(KernelId::KineticEnergy, model, {&q, &v}, {nq, nv}, 1, states);
  Array half(states, 0.0), rate(states, 0.0), power(states, 0.0);
  for (int64_t s = 0; s < states; ++s)
    for (int64_t i = s * nv; i < (s + 1) * nv; ++i) {
      half[s] += 0.5 * nu[i] * nu[i];
      rate[s] += nu[i] * free[2][i];
      power[s] += v[i] * (tau[i] - weight[i]);
    }
  check(distance(energy, half) < 1e-9, "half the square of nu is the kinetic energy", where);
  check(distance(power, rate) < 1e-7, "nu times its rate is the power", where);
}

// A massless tip: reported for each state and answered with NaN, in every form.
void find_singular(Random& random, const Shape_& shape) {
  Description d = describe(random, 3, 1, Form::chain, false);
  d.kind = {1, 1, 1};
  d.parameter_offset = {0, 3, 6, 9};
  d.parameters = {0, 0, 1, 0, 1, 0, 1, 0, 0};
  d.armature.assign(3, 0.0);
  d.mass[2] = 0;
  for (int i = 0; i < 9; ++i) d.inertia[18 + i] = 0;
  const Model model(d);
  for (const auto* set : instruction_sets())
    for (bool lanes : {false, true}) {
      const std::vector<double> in(3 * 5, 0.3);
      std::vector<double> out[most_outputs];
      BatchCall c;
      for (int i = 0; i < most_inputs; ++i)
        if (shape.in[i]) c.in[i] = in.data(), c.in_width[i] = c.in_stride[i] = 3;
      for (int i = 0; i < most_outputs; ++i)
        if (shape.out[i]) out[i].resize(3 * 5), c.out[i] = out[i].data(), c.out_width[i] = 3;
      const Kernel& kernel = set->kernels[static_cast<int>(shape.id)];
      void* memory = ::operator new(kernel.memory(model.tree(), c, lanes), std::align_val_t{64});
      Singular found;
      kernel.run(model.tree(), c, 0, 5, memory, lanes, found);
      ::operator delete(memory, std::align_val_t{64});
      const std::string where = std::string(kernel.name) + ", " + set->name;
      check(found.count == 5 && found.first == 0 && found.body == 2, "a massless tip is found", where);
      for (const auto& x : out) check(x.empty() || std::isnan(x[14]), "a singular state answers NaN", where);
    }
}

// (I - K* ψ* H*) D⁻¹ (I - HψK) and the columns of M, P, Υ, B*: batches in lanes, one configuration with columns in lanes,
// and one state with one vector, all the same; and the first is the inverse of the mass matrix.
void apply_operators(const Model& model, Random& random, const std::string& where) {
  const Tree& t = model.tree();
  const int64_t nv = t.nv, states = 2 * operators().lanes + 3;
  const std::vector<Row> rows = {
      {Op::up, 0, 0, 0},        {Op::G, 2, 0, 0},     {Op::E_phi, 3, 2, 0},      {Op::psi, 4, 3, 0},
      {Op::H, 5, 4, 0},         {Op::copy, 6, 0, 0},  {Op::axpy, 6, 5, 0},       {Op::D_inv, 7, 6, 0},
      {Op::down, 0, 0, 0},      {Op::H_T, 8, 7, 0},   {Op::psi_T, 9, 8, 0},      {Op::E_phi_T, 10, 9, 0},
      {Op::G_T, 11, 10, 0},     {Op::copy, 1, 7, 0},  {Op::axpy, 1, 11, 0},      {Op::P_plus, 12, 9, 0},
      {Op::Upsilon, 13, 12, 0}, {Op::B_T, 14, 13, 0}, {Op::tau_bar_T, 15, 13, 0}};
  const std::vector<int32_t> spaces = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 2, 0};
  std::vector<int32_t> first(t.n + 1, 0), order = {0};
  first[t.n] = 1;
  const double constants[] = {-1.0}, position[] = {0.1, 0.2, 0.3};
  const Program program = {
      rows.data(),  (int64_t)rows.size(), constants, spaces.data(), (int32_t)spaces.size(), 1, position,
      order.data(), first.data(),         2};
  const auto q = numbers(random, t.nq * states), x = numbers(random, nv * states);
  Configuration batch(t, q, states, {});
  check(batch.prepare(2).count == 0, "configurations are regular", where);
  std::vector<double> together(nv * states), alone(nv * states), columns(nv * nv), one(nv);
  batch.apply(program, {x.data(), together.data(), nv, nv, 1, nv, states});
  for (int64_t s = 0; s < states; ++s) {
    Configuration single(t, {q.begin() + s * t.nq, q.begin() + (s + 1) * t.nq}, 1, {});
    single.prepare(2);
    single.apply(program, {x.data() + s * nv, alone.data() + s * nv, nv, nv, 1, nv, 1});
  }
  check(distance(together, alone) < 1e-9, "operators: lanes and single states agree", where);
  std::vector<double> identity(nv * nv, 0.0);
  for (int64_t i = 0; i < nv; ++i) identity[i * nv + i] = 1.0;
  Configuration single(t, {q.begin(), q.begin() + t.nq}, 1, {});
  single.prepare(2);
  single.apply(program, {identity.data(), columns.data(), nv, nv, nv, nv * nv, 1});
  const std::vector<double> q0(q.begin(), q.begin() + t.nq);
  const auto inverse = call(KernelId::InverseMassMatrix, model, {&q0}, {t.nq}, nv * nv, 1);
  check(distance(inverse, columns) < 1e-8, "operators: the innovations inverse", where);
}

void refuse_nonsense(Random& random) {
  const auto refused = [&](auto spoil) {
    Description d = describe(random, 3, 1, Form::chain, false);
    spoil(d);
    try {
      Model model(d);
    } catch (const std::exception&) {
      return true;
    }
    return false;
  };
  check(refused([](Description& d) { d.parent[1] = 1; }), "a body is not its own parent", "model");
  check(refused([](Description& d) { d.parent[1] = -2; }), "parents exist", "model");
  check(refused([](Description& d) { d.kind[1] = 99; }), "kinds exist", "model");
  check(refused([](Description& d) { d.armature.push_back(0); }), "one armature a dof", "model");
}

}  // namespace

int run_all() {
  Random random(7);
  const int kinds = static_cast<int>(joint_types().size());
  for (int first = 0; first < kinds; ++first)
    for (Form form : {Form::chain, Form::tree})
      for (bool armature : {false, true}) {
        const Model model(describe(random, kinds, first, form, armature));
        const std::string where = "first joint " + joint_types()[first].name + (armature ? ", armature" : "");
        agree_everywhere(model, random, where);
        set_threads(first % 3 + 1);
        invert(model, random, where);
        apply_operators(model, random, where);
        diagonalize(model, random, where);
      }
  for (int first = 0; first < kinds; ++first)
    agree_everywhere(Model(describe(random, 1, first, Form::chain, true)), random, "alone");
  for (const Shape_& shape :
       {Shape_{KernelId::ForwardDynamics, {3, 3, 3}, {3}}, Shape_{KernelId::DiagonalRates, {3, 3}, {3, 3}},
        Shape_{KernelId::DiagonalDynamics, {3, 3, 0, 3}, {3, 0, 3}},
        Shape_{KernelId::DiagonalDynamics, {3, 0, 3, 3}, {3, 3, 0}}})
    find_singular(random, shape);
  refuse_nonsense(random);
  std::printf("%d passed, %d failed\n", checks - failures, failures);
  return failures != 0;
}

}  // namespace phipsi::tests

int main() { return phipsi::tests::run_all(); }
