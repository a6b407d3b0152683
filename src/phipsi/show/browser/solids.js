// The unit solids: rows of position, normal and `end`, the share of the half length by which a point moves along z.
"use strict";
const ROW = 7;

function solidBox() {
  const rows = [];
  for (let axis = 0; axis < 3; axis++)
    for (const side of [-0.5, 0.5]) {
      const corner = (u, v) => {
        const p = [0, 0, 0];
        p[axis] = side;
        p[(axis + 1) % 3] = side < 0 ? v : u;
        p[(axis + 2) % 3] = side < 0 ? u : v;
        return p;
      };
      const n = [0, 0, 0];
      n[axis] = 2 * side;
      for (const [u, v] of [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        rows.push(...corner(u, v), ...n, 0);
    }
  return new Float32Array(rows);
}

// a solid of revolution from its outline: points [radius, z, normal radial, normal z, end] from bottom to top
function revolve(outline, sides = 28) {
  const rows = [];
  const at = ([r, z, nr, nz, end], k) => {
    const a = (2 * Math.PI * k) / sides;
    return [r * Math.cos(a), r * Math.sin(a), z, nr * Math.cos(a), nr * Math.sin(a), nz, end];
  };
  for (let i = 0; i + 1 < outline.length; i++)
    for (let k = 0; k < sides; k++) {
      const [a, b, c, d] = [at(outline[i], k), at(outline[i], k + 1), at(outline[i + 1], k + 1), at(outline[i + 1], k)];
      rows.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
  return new Float32Array(rows);
}

function solidCapsule(rings = 7) {
  const outline = [];
  for (let i = 0; i <= 2 * rings + 1; i++) {
    const top = i > rings;
    const a = -Math.PI / 2 + (Math.PI / 2) * ((top ? i - 1 : i) / rings);
    outline.push([Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a), top ? 1 : -1]);
  }
  return revolve(outline);
}

function solidCylinder() {
  const bevel = 0.06, s = Math.SQRT1_2;
  return revolve([
    [0, 0, 0, -1, -1], [1 - bevel, 0, 0, -1, -1], [1 - bevel, 0, s, -s, -1], [1, 0, s, -s, -1 + bevel],
    [1, 0, 1, 0, -1 + bevel], [1, 0, 1, 0, 1 - bevel], [1, 0, s, s, 1 - bevel], [1 - bevel, 0, s, s, 1], [1 - bevel, 0, 0, 1, 1], [0, 0, 0, 1, 1],
  ]);
}

// an arrow of radius 1 from the origin; its tip moves with `end`
function solidArrow() {
  const head = 7;
  return revolve([
    [0, 0, 0, -1, 0], [1, 0, 0, -1, 0], [1, 0, 1, 0, 0], [1, -head, 1, 0, 1], [1, -head, 0, -1, 1],
    [2.6, -head, 0, -1, 1], [2.6, -head, 0.94, 0.34, 1], [0, 0, 0.94, 0.34, 1],
  ], 16);
}

// triangles as they come from a file: int16 positions within a box, int8 normals
function solidMesh(mesh) {
  const p = decode(mesh.points, Int16Array), n = decode(mesh.normals, Int8Array);
  const count = p.length / 3, rows = new Float32Array(count * ROW);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < 3; k++) {
      rows[ROW * i + k] = mesh.centre[k] + (p[3 * i + k] / 32767) * mesh.half[k];
      rows[ROW * i + 3 + k] = n[3 * i + k] / 127;
    }
  return rows;
}
