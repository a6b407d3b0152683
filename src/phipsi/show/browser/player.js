// The controls: play, scrub, speed, layers, the mouse and the keys; and the charts' cursor, which goes with the time.
"use strict";
class Player {
  constructor(root, scene) {
    this.root = root;
    this.scene = scene;
    this.speed = scene.speed;
    this.playing = false;
    this.listeners = [];
    root.innerHTML = PAGE;
    this.parts = Object.fromEntries([...root.querySelectorAll("[data-part]")].map((e) => [e.dataset.part, e]));
    this.viewer = new Viewer(this.parts.canvas, scene);
    [this.from, this.to] = [scene.times[0], scene.times[scene.times.length - 1]];
    root.classList.toggle("still", this.to <= this.from);
    root.classList.add(scene.theme);
    this.controls();
    this.layers();
    this.mouse();
    this.mark();
    this.seek(this.from);
    new ResizeObserver(() => this.paint()).observe(root);
    const quiet = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.to > this.from && !quiet) this.play();
  }

  controls() {
    const { toggle, scrub, speed, home, full, follow } = this.parts;
    toggle.onclick = () => (this.playing ? this.pause() : this.play());
    scrub.oninput = () => (this.pause(), this.seek(this.from + (scrub.value / 1000) * (this.to - this.from)));
    speed.onchange = () => (this.speed = Number(speed.value));
    if (![...speed.options].some((o) => Number(o.value) === this.speed)) speed.add(new Option(`${this.speed}×`, this.speed));
    speed.value = String(this.speed);
    home.onclick = () => (this.viewer.reset(), this.paint());
    full.onclick = () => (document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen());
    follow.hidden = this.scene.base < 0 || this.to <= this.from;
    const mark = () => follow.classList.toggle("on", this.viewer.follow >= 0);
    follow.onclick = () => {
      const v = this.viewer;
      [v.orbit.target, v.offset] = [vec.add(v.orbit.target, v.offset), [0, 0, 0]];
      v.follow = v.follow >= 0 ? -1 : this.scene.base;
      if (v.follow >= 0) v.home = v.body(v.follow);
      mark();
      this.paint();
    };
    mark();
    this.root.tabIndex = 0;
    this.root.onkeydown = (event) => {
      const step = (this.to - this.from) / 100;
      const act = { " ": () => toggle.onclick(), ArrowLeft: () => this.nudge(-step), ArrowRight: () => this.nudge(step), Home: () => this.nudge(-Infinity), End: () => this.nudge(Infinity), r: () => home.onclick(), f: () => full.onclick() }[event.key];
      if (!act || event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      act();
    };
  }

  nudge(step) {
    this.pause();
    this.seek(this.viewer.time + step);
  }

  layers() {
    for (const [layer, { label, on, color }] of Object.entries(this.scene.layers)) {
      const chip = document.createElement("button");
      chip.textContent = label;
      if (color) chip.style.setProperty("--mark", color);
      if (!on) this.viewer.hidden.add(layer);
      chip.className = on ? "chip on" : "chip";
      chip.setAttribute("aria-pressed", String(on));
      chip.onclick = () => {
        const shown = chip.classList.toggle("on");
        chip.setAttribute("aria-pressed", String(shown));
        shown ? this.viewer.hidden.delete(layer) : this.viewer.hidden.add(layer);
        this.paint();
      };
      this.parts.layers.append(chip);
    }
  }

  mouse() {
    const canvas = this.parts.canvas, fingers = new Map();
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    canvas.onpointerdown = (e) => (canvas.setPointerCapture(e.pointerId), fingers.set(e.pointerId, [e.clientX, e.clientY]));
    canvas.onpointerup = canvas.onpointercancel = (e) => fingers.delete(e.pointerId);
    canvas.onpointermove = (e) => {
      const last = fingers.get(e.pointerId);
      if (!last) return;
      const before = fingers.size === 2 ? spread() : 0, [dx, dy] = [e.clientX - last[0], e.clientY - last[1]];
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      if (fingers.size === 2) this.zoom(before / spread());
      if (fingers.size === 2 || e.buttons & 6 || e.shiftKey) this.pan(dx, dy, fingers.size);
      else this.turn(dx, dy);
    };
    canvas.oncontextmenu = (e) => e.preventDefault();
    canvas.addEventListener("wheel", (e) => (e.preventDefault(), this.zoom(Math.exp(0.0012 * e.deltaY))), { passive: false });
    canvas.ondblclick = () => this.parts.home.onclick();
  }

  turn(dx, dy) {
    const orbit = this.viewer.orbit;
    orbit.yaw -= 0.006 * dx;
    orbit.pitch = Math.min(1.55, Math.max(-1.55, orbit.pitch + 0.006 * dy));
    this.paint();
  }

  zoom(factor) {
    const orbit = this.viewer.orbit;
    orbit.distance = Math.min(60 * orbit.size, Math.max(0.02 * orbit.size, orbit.distance * factor));
    this.paint();
  }

  pan(dx, dy, fingers) {
    const orbit = this.viewer.orbit, s = (0.65 * orbit.distance) / this.parts.canvas.clientHeight / Math.max(1, fingers);
    const right = [-Math.sin(orbit.yaw), Math.cos(orbit.yaw), 0];
    const back = [Math.cos(orbit.pitch) * Math.cos(orbit.yaw), Math.cos(orbit.pitch) * Math.sin(orbit.yaw), Math.sin(orbit.pitch)];
    const up = vec.cross(back, right);
    orbit.target = vec.add(orbit.target, vec.add(vec.scale(right, -s * dx), vec.scale(up, s * dy)));
    this.paint();
  }

  // ── time ──
  play() {
    if (this.viewer.time >= this.to) this.seek(this.from);
    this.playing = true;
    this.mark();
    let last = null;
    const tick = (now) => {
      if (!this.playing) return;
      if (last !== null) {
        const next = this.viewer.time + (Math.min(now - last, 250) / 1000) * this.speed;
        this.seek(next > this.to ? this.from : next);
      }
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    this.mark();
  }

  mark() {
    this.root.dataset.playing = String(this.playing);
    this.parts.toggle.setAttribute("aria-label", this.playing ? "pause" : "play");
    this.parts.toggle.classList.toggle("playing", this.playing);
  }

  seek(t) {
    this.viewer.time = Math.min(this.to, Math.max(this.from, t));
    const share = this.to > this.from ? (this.viewer.time - this.from) / (this.to - this.from) : 0;
    this.parts.scrub.value = String(Math.round(1000 * share));
    this.parts.scrub.style.setProperty("--share", `${100 * share}%`);
    this.parts.clock.textContent = `${this.viewer.time.toFixed(2)} / ${this.to.toFixed(2)} s`;
    const event = this.scene.events.filter((e) => e[0] <= this.viewer.time + 1e-9).pop();
    this.parts.event.textContent = event ? event[1] : "";
    for (const listener of this.listeners) listener(this.viewer.time);
    this.root.dataset.time = this.viewer.time.toFixed(3);
    this.paint();
  }

  paint() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.viewer.draw();
      this.root.dataset.frames = String(Number(this.root.dataset.frames || 0) + 1);
    });
  }
}

const PAGE = `<canvas data-part="canvas"></canvas>
<div class="event" data-part="event"></div>
<div class="chips" data-part="layers"></div>
<div class="bar">
  <button class="play" data-part="toggle" aria-label="play"></button>
  <input type="range" min="0" max="1000" value="0" data-part="scrub" aria-label="time">
  <output data-part="clock"></output>
  <select data-part="speed" aria-label="speed"><option value="0.1">0.1×</option><option value="0.25">¼×</option><option value="0.5">½×</option><option value="1">1×</option><option value="2">2×</option><option value="5">5×</option></select>
  <button class="small" data-part="follow" title="the camera goes with the base">follow</button>
  <button class="small" data-part="home" title="the first view (r)">reset</button>
  <button class="small" data-part="full" title="full screen (f)" aria-label="full screen"><svg width="13" height="13" viewBox="0 0 13 13" fill="none" stroke="currentColor" stroke-width="1.6"><path d="M1 4.5V1h3.5M8.5 1H12v3.5M12 8.5V12H8.5M4.5 12H1V8.5"/></svg></button>
</div>`;
