// momentum.hpp: momentum, centroidal momentum matrix, mass centre, energies.
#pragma once

#include "inverse_dynamics.hpp"

namespace phipsi {
namespace PHIPSI_ISA {

// Σ m and Σ m p over the robot: the mass centre is their quotient
template <class L>
PHIPSI_HOT Vec3<L> mass_centre(const Tree& t, const Kinematics<L>& s) {
  double mass = 0;
  Vec3<L> moment = zero3<L>();
  for (int k = 0; k < t.n; ++k) {
    mass += t.body[k].mass;
    moment += s.position[k] * t.body[k].mass + s.place[k].R * vec3_at(t.body[k].mc);
  }
  return moment * (1.0 / mass);
}

template <class L>
Kinematics<L> resting(Arena& arena, const Tree& t) {
  return Kinematics<L>(arena, t, false);
}
template <class L>
Kinematics<L> in_motion(Arena& arena, const Tree& t) {
  return Kinematics<L>(arena, t, true);
}

// in: q, v;  out: [angular; linear] momentum about the world's origin or the mass centre, world axes
struct Momentum {
  static constexpr const char* name = "momentum";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return in_motion<L>(arena, t);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], c.in[1], nullptr);
    const Vec3<L> about = c.request->about_com ? mass_centre(t, s) : zero3<L>();
    Vec6<L> h = zero6<L>();
    for (int k = 0; k < t.n; ++k)
      h += shift_force(s.position[k] - about, inertia_in_world(t.body[k], s.place[k].R) * s.V[k]);
    put_vec6(c.out[0], h);
  }
};

// in: q;  out: A (6 × nv): momentum about the mass centre = A v
struct CentroidalMomentumMatrix {
  static constexpr const char* name = "centroidal_momentum_matrix";
  template <class L>
  struct Work {
    Kinematics<L> s;
    RigidInertia<L>* I;
    Work(Arena& arena, const Tree& t) : s(arena, t, false), I(arena.take<RigidInertia<L>>(t.n)) {}
  };
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    w.s.sweep(t, c.in[0], nullptr, nullptr);
    const Vec3<L> com = mass_centre(t, w.s);
    const int64_t nv = t.nv;
    for (int k = 0; k < t.n; ++k) w.I[k] = inertia_in_world(t.body[k], w.s.place[k].R);
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      for (int i = b.v; i < b.v + b.nv; ++i) {
        L x[6];
        put_vec6(x, shift_force(w.s.position[k] - com, w.I[k] * w.s.H[i]));
        for (int r = 0; r < 6; ++r) c.out[0][r * nv + i] = x[r];
      }
      if (b.parent >= 0) w.I[b.parent] += shifted(w.s.place[k].l, w.I[k]);
    }
  }
};

// in: q, v;  out: Ȧ v: the rate of the momentum about the mass centre while all joint accelerations are zero
struct CentroidalMomentumRate {
  static constexpr const char* name = "centroidal_momentum_matrix_dot_v";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return in_motion<L>(arena, t);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], c.in[1], nullptr);
    const Vec3<L> com = mass_centre(t, s);
    Vec6<L> rate = zero6<L>();
    for (int k = 0; k < t.n; ++k)
      rate += shift_force(s.position[k] - com, inertial_force(t.body[k], s.place[k].R, s.V[k].w, s.alpha[k]));
    put_vec6(c.out[0], rate);
  }
};

// in: q;  out: the mass centre (3)
struct CenterOfMass {
  static constexpr const char* name = "center_of_mass";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return resting<L>(arena, t);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], nullptr, nullptr);
    const Vec3<L> com = mass_centre(t, s);
    c.out[0][0] = com.x, c.out[0][1] = com.y, c.out[0][2] = com.z;
  }
};

// in: q;  out: J (3 × nv): velocity of the mass centre = J v = linear momentum / mass
struct CenterOfMassJacobian {
  static constexpr const char* name = "center_of_mass_jacobian";
  template <class L>
  struct Work {
    Kinematics<L> s;
    Pair<L, Vec3<L>>* I;  // mass and its first moment about O_k, of all that is beyond joint k
    Work(Arena& arena, const Tree& t) : s(arena, t, false), I(arena.take<Pair<L, Vec3<L>>>(t.n)) {}
  };
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Work<L> w(arena, t);
    w.s.sweep(t, c.in[0], nullptr, nullptr);
    const int64_t nv = t.nv;
    double mass = 0;
    for (int k = 0; k < t.n; ++k) {
      mass += t.body[k].mass;
      w.I[k] = {number<L>(t.body[k].mass), w.s.place[k].R * vec3_at(t.body[k].mc)};
    }
    for (int k = t.n - 1; k >= 0; --k) {
      const Body& b = t.body[k];
      const L m = w.I[k].w;
      for (int i = b.v; i < b.v + b.nv; ++i) {
        const Vec3<L> p = (w.s.H[i].v * m + cross(w.s.H[i].w, w.I[k].v)) * (1.0 / mass);
        c.out[0][i] = p.x, c.out[0][nv + i] = p.y, c.out[0][2 * nv + i] = p.z;
      }
      if (b.parent >= 0) {
        w.I[b.parent].w = w.I[b.parent].w + m;
        w.I[b.parent].v += w.I[k].v + w.s.place[k].l * m;
      }
    }
  }
};

// in: q, v;  out: ½ V* M V summed, and the rotors' ½ v* armature v
struct KineticEnergy {
  static constexpr const char* name = "kinetic_energy";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return in_motion<L>(arena, t);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], c.in[1], nullptr);
    L twice = L{};
    for (int k = 0; k < t.n; ++k) twice = twice + dot(s.V[k], inertia_in_world(t.body[k], s.place[k].R) * s.V[k]);
    for (int i = 0; i < t.nv; ++i) twice = twice + c.in[1][i] * c.in[1][i] * t.armature[i];
    c.out[0][0] = 0.5 * twice;
  }
};

// in: q;  out: -Σ m g·p: zero where the mass centre is at the world's origin
struct PotentialEnergy {
  static constexpr const char* name = "potential_energy";
  template <class L>
  static Kinematics<L> plan(Arena& arena, const Tree& t) {
    return resting<L>(arena, t);
  }
  template <class L>
  static void run(const Tree& t, Call<L>& c) {
    Arena arena{static_cast<char*>(c.work)};
    Kinematics<L> s = plan<L>(arena, t);
    s.sweep(t, c.in[0], nullptr, nullptr);
    L energy = L{};
    const Vec3<double> g = vec3_at(t.gravity);
    for (int k = 0; k < t.n; ++k)
      energy = energy - dot(g, s.position[k] * t.body[k].mass + s.place[k].R * vec3_at(t.body[k].mc));
    c.out[0][0] = energy;
  }
};

}  // namespace PHIPSI_ISA
}  // namespace phipsi
