// The renderer: a scene's bodies at any time, seen by a camera that orbits.
"use strict";
const THEMES = {
  ground: { top: [0.82, 0.87, 0.93], bottom: [0.965, 0.97, 0.98], line: [0.30, 0.36, 0.45], dark: 0.5, stars: 0, above: [0.62, 0.66, 0.72], below: [0.30, 0.29, 0.28] },
  space: { top: [0.085, 0.115, 0.20], bottom: [0.03, 0.04, 0.085], line: [0.35, 0.45, 0.65], dark: 0, stars: 1, above: [0.30, 0.36, 0.48], below: [0.10, 0.12, 0.18] },
};

class Viewer {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    const gl = (this.gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true }));
    if (!gl) throw new Error("this browser shows no WebGL 2");
    this.theme = THEMES[scene.theme];
    this.time = scene.times[0];
    this.hidden = new Set();
    this.follow = scene.follow;
    this.programs = {};
    for (const [name, [vertex, fragment]] of Object.entries(SHADERS)) this.programs[name] = this.program(vertex, fragment);
    this.bodies = scene.bodies;
    this.arrows = scene.arrows.map((set) => ({ ...set, data: decode(set.data), count: set.count }));
    this.read(scene);
    this.reset();
  }

  // ── what is drawn, put where the graphics processor finds it ──
  read(scene) {
    const gl = this.gl;
    this.poses = decode(scene.poses);
    const solids = { box: solidBox(), capsule: solidCapsule(), cylinder: solidCylinder(), arrow: solidArrow() };
    this.sets = scene.sets.map((set) => {
      const rows = set.kind === "mesh" ? solidMesh(scene.meshes[set.mesh]) : solids[set.kind];
      return this.instances(rows, decode(set.rows), set.layer);
    });
    let first = this.bodies;
    for (const set of this.arrows) {
      const rows = new Float32Array(16 * set.count);
      for (let i = 0; i < set.count; i++) {
        const r = scene.unit * 0.045;
        rows.set([1, 0, 0, 0, 0, 0, 0, first + i, r, r, r, 1, ...set.color, 1], 16 * i);
      }
      set.first = first;
      first += set.count;
      this.sets.push(this.instances(solids.arrow, rows, set.layer));
    }
    this.width = 1024;
    this.height = Math.max(1, Math.ceil((2 * first) / this.width));
    this.texels = new Float32Array(4 * this.width * this.height);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, this.width, this.height);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    this.quad = this.vertices(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.trails = scene.trails.map((trail) => this.trail(trail));
    this.shade(2048);
  }

  instances(rows, data, layer) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffer = (numbers) => (gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()), gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW));
    const attribute = (k, size, stride, offset, divisor) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 4 * stride, 4 * offset);
      gl.vertexAttribDivisor(k, divisor);
    };
    buffer(rows);
    attribute(0, 3, ROW, 0, 0), attribute(1, 3, ROW, 3, 0), attribute(2, 1, ROW, 6, 0);
    buffer(data);
    for (let k = 0; k < 4; k++) attribute(3 + k, 4, 16, 4 * k, 1);
    gl.bindVertexArray(null);
    return { array, vertices: rows.length / ROW, count: data.length / 16, layer, clear: data.length > 0 && data[15] < 1 };
  }

  vertices(numbers) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    return array;
  }

  trail(trail) {
    const gl = this.gl, points = decode(trail.points);
    const array = this.vertices(new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
    for (const k of [1, 2]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 12, 12 * (k - 1));
      gl.vertexAttribDivisor(k, 1);
    }
    gl.bindVertexArray(null);
    return { array, count: Math.max(0, points.length / 3 - 1), color: trail.color, layer: trail.layer };
  }

  shade(size) {
    const gl = this.gl;
    this.shadow = { size, texture: gl.createTexture(), target: gl.createFramebuffer() };
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow.texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const places = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  use(name, values) {
    const gl = this.gl, { program, places } = this.programs[name];
    gl.useProgram(program);
    const units = { poses: 0, shadow: 1 };
    for (const key of Object.keys(places)) {
      const value = values[key];
      if (key in units) gl.uniform1i(places[key], units[key]);
      else if (typeof value === "number") gl.uniform1f(places[key], value);
      else if (value.length === 16) gl.uniformMatrix4fv(places[key], false, value);
      else gl[`uniform${value.length}fv`](places[key], value);
    }
  }

  // ── time ──
  moment(t) {
    const times = this.scene.times, last = times.length - 1;
    if (last < 1 || t <= times[0]) return [0, 0];
    if (t >= times[last]) return [last - 1, 1];
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle;
    }
    return [low, (t - times[low]) / (times[high] - times[low])];
  }

  pose() {
    const [frame, share] = this.moment(this.time), n = this.bodies, from = this.poses, to = this.texels;
    const a = 7 * n * frame, b = this.scene.times.length > 1 ? a + 7 * n : a;
    for (let k = 0; k < n; k++) {
      const i = a + 7 * k, j = b + 7 * k, o = 8 * k;
      let same = 0, norm = 0;
      for (let c = 0; c < 4; c++) same += from[i + c] * from[j + c];
      for (let c = 0; c < 4; c++) {
        const x = from[i + c] * (1 - share) + (same < 0 ? -1 : 1) * from[j + c] * share;
        to[o + c] = x;
        norm += x * x;
      }
      norm = 1 / Math.sqrt(norm || 1);
      for (let c = 0; c < 4; c++) to[o + c] *= norm;
      for (let c = 0; c < 3; c++) to[o + 4 + c] = from[i + 4 + c] * (1 - share) + from[j + 4 + c] * share;
      to[o + 7] = 1;
    }
    for (const set of this.arrows) {
      for (let k = 0; k < set.count; k++) {
        const i = 6 * (frame * set.count + k), j = this.scene.times.length > 1 ? i + 6 * set.count : i;
        const row = Array.from({ length: 6 }, (_, c) => set.data[i + c] * (1 - share) + set.data[j + c] * share);
        const reach = row.slice(3), length = vec.length(reach);
        const q = length > 1e-9 ? quatFromZ(vec.scale(reach, 1 / length)) : [1, 0, 0, 0];
        const shown = length > 0.4 * 7 * 0.045 * this.scene.unit;
        to.set([...q, ...(shown ? row.slice(0, 3) : [0, 0, 1e6]), length], 8 * (set.first + k));
      }
    }
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, this.width, this.height, gl.RGBA, gl.FLOAT, to);
    return frame + share;
  }

  body(k) {
    return [...this.texels.slice(8 * k + 4, 8 * k + 7)];
  }

  // ── the camera ──
  reset() {
    const { low, high } = this.scene.bounds;
    const middle = vec.mix(low, high, 0.5), size = Math.max(vec.length(vec.sub(high, low)) / 2, 1e-3);
    this.orbit = { yaw: this.scene.yaw, pitch: 0.32, distance: (0.9 * size) / Math.sin(0.30), target: middle, size };
    if (this.follow >= 0) this.home = this.start(this.follow);
    this.offset = [0, 0, 0];
  }

  start(k) {
    return [...this.poses.slice(7 * k + 4, 7 * k + 7)];
  }

  eye() {
    const { yaw, pitch, distance } = this.orbit, target = vec.add(this.orbit.target, this.offset);
    const to = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
    return { target, eye: vec.add(target, vec.scale(to, distance)) };
  }

  draw() {
    const gl = this.gl, now = this.pose(), theme = this.theme, size = this.orbit.size;
    if (this.follow >= 0) this.offset = vec.sub(this.body(this.follow), this.home);
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const w = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), h = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    const { eye, target } = this.eye(), far = this.orbit.distance + 40 * size;
    const fov = 0.62, aspect = w / h;
    const view = mat.lookAt(eye, target, [0, 0, 1]);
    const camera = mat.multiply(mat.perspective(fov * (aspect < 1 ? 1 / aspect : 1), aspect, far / 4000, far), view);
    const sun = vec.unit(this.scene.theme === "space" ? [0.55, -0.45, 0.7] : [0.35, -0.45, 0.95]);
    const middle = vec.add(vec.mix(this.scene.bounds.low, this.scene.bounds.high, 0.5), this.offset);
    const light = mat.multiply(mat.orthographic(1.25 * size, 0.1 * size, 6 * size), mat.lookAt(vec.add(middle, vec.scale(sun, 3 * size)), middle, [0, 1, 0]));
    const all = { ...theme, camera, light, eye, sun };
    this.cast(light, all);
    gl.viewport(0, 0, w, h);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.background(view, fov, aspect);
    gl.enable(gl.DEPTH_TEST);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    this.use("solid", all);
    this.solids((set) => !set.clear);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    if (this.scene.ground !== null) {
      const reach = 9 * size, cell = Math.pow(10, Math.floor(Math.log10(size / 1.2)));
      this.use("ground", { ...all, middle: [middle[0], middle[1], this.scene.ground], reach, cell });
      this.strip(this.quad);
    }
    for (const trail of this.trails)
      if (!this.hidden.has(trail.layer)) {
        this.use("trail", { camera, pixel: [2 / w, 2 / h], width: 1.1 * ratio, now, count: trail.count, color: [...trail.color, 0.95] });
        gl.bindVertexArray(trail.array);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, trail.count);
      }
    this.use("solid", all);
    this.solids((set) => set.clear);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  cast(light, all) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.target);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.viewport(0, 0, this.shadow.size, this.shadow.size);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.use("depth", { ...all, camera: light });
    this.solids((set) => !set.clear && !["frames", "forces"].includes(set.layer));
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  background(view, fov, aspect) {
    const gl = this.gl, t = Math.tan(fov / 2);
    gl.disable(gl.DEPTH_TEST);
    const turn = new Float32Array(16);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) turn[4 * i + j] = view[4 * j + i] * (i === 0 ? t * aspect : i === 1 ? t : 1);
    this.use("sky", { ...this.theme, turn });
    this.strip(this.quad);
  }

  strip(array) {
    this.gl.bindVertexArray(array);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }

  solids(wanted) {
    const gl = this.gl;
    for (const set of this.sets)
      if (set.count && wanted(set) && !this.hidden.has(set.layer)) {
        gl.bindVertexArray(set.array);
        gl.drawArraysInstanced(gl.TRIANGLES, 0, set.vertices, set.count);
      }
  }
}
