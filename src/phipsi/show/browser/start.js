// Brings the page to life: one player for each scene, and charts that show its time and can be clicked.
"use strict";
window.addEventListener("error", (event) => (document.body.dataset.error = event.message));

function chartsOf(player) {
  for (const chart of document.querySelectorAll("svg.chart")) {
    const cursor = chart.querySelector(".cursor");
    const { x0, x1, t0, t1 } = Object.fromEntries(Object.entries(chart.dataset).map(([key, value]) => [key, Number(value)]));
    if (!cursor || !(t1 > t0)) continue;
    player.listeners.push((t) => {
      const x = x0 + ((x1 - x0) * (t - t0)) / (t1 - t0);
      cursor.setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
    });
    const choose = (event) => {
      const place = chart.createSVGPoint();
      [place.x, place.y] = [event.clientX, event.clientY];
      const x = place.matrixTransform(chart.getScreenCTM().inverse()).x;
      player.pause();
      player.seek(t0 + ((t1 - t0) * (x - x0)) / (x1 - x0));
    };
    chart.addEventListener("pointerdown", (event) => (chart.setPointerCapture(event.pointerId), choose(event)));
    chart.addEventListener("pointermove", (event) => event.buttons && choose(event));
  }
}

for (const root of document.querySelectorAll(".viewer")) {
  const scene = JSON.parse(document.getElementById(root.dataset.scene).textContent);
  scene.times = decode(scene.times, Float64Array);
  try {
    const player = new Player(root, scene);
    chartsOf(player);
    player.seek(scene.start);
    document.body.dataset.ready = "yes";
  } catch (problem) {
    root.innerHTML = `<p class="sorry">The 3D view needs WebGL 2: ${String(problem.message)}. The plots and numbers need nothing.</p>`;
    document.body.dataset.ready = "no";
    console.warn(problem.message);
  }
}
