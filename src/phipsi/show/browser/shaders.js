// What runs on the graphics processor: solids on moving bodies, their shadow, the ground, the sky, and trails.
"use strict";
const SHADERS = {};

SHADERS.solid = [`#version 300 es
precision highp float;
layout(location=0) in vec3 unit;
layout(location=1) in vec3 normal;
layout(location=2) in float end;
layout(location=3) in vec4 placed;      // quaternion in the body
layout(location=4) in vec4 at;          // position in the body, number of the body
layout(location=5) in vec4 size;        // scale, half length
layout(location=6) in vec4 color;
uniform highp sampler2D poses;          // two texels a body: quaternion; position and stretch
uniform mat4 camera, light;
out vec3 world, facing; out vec4 tint, lit;
vec3 turn(vec4 q, vec3 x) { vec3 t = 2.0 * cross(q.yzw, x); return x + q.x * t + cross(q.yzw, t); }
vec4 texel(int i) { int w = textureSize(poses, 0).x; return texelFetch(poses, ivec2(i % w, i / w), 0); }
void main() {
  int body = int(at.w + 0.5);
  vec4 q = texel(2 * body), p = texel(2 * body + 1);
  vec3 x = unit * size.xyz + vec3(0.0, 0.0, end * size.w * p.w);
  world = turn(q, turn(placed, x) + at.xyz) + p.xyz;
  facing = turn(q, turn(placed, normal));
  tint = color;
  lit = light * vec4(world, 1.0);
  gl_Position = camera * vec4(world, 1.0);
}`, `#version 300 es
precision highp float;
in vec3 world, facing; in vec4 tint, lit;
uniform vec3 eye, sun; uniform vec3 above, below;
uniform highp sampler2DShadow shadow;
out vec4 result;
float seen() {
  vec3 p = lit.xyz / lit.w * 0.5 + 0.5;
  if (p.x < 0.0 || p.y < 0.0 || p.x > 1.0 || p.y > 1.0 || p.z > 1.0) return 1.0;
  float sum = 0.0, d = 1.0 / float(textureSize(shadow, 0).x);
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(shadow, vec3(p.xy + d * vec2(i, j), p.z - 0.0015));
  return sum / 9.0;
}
void main() {
  vec3 n = normalize(facing), to = normalize(eye - world);
  if (dot(n, to) < 0.0) n = -n;
  float lambert = max(dot(n, sun), 0.0);
  float shade = lambert > 0.0 ? seen() : 0.0;
  vec3 base = pow(tint.rgb, vec3(2.2));
  vec3 ambient = mix(below, above, 0.5 + 0.5 * n.z);
  float gloss = pow(max(dot(n, normalize(sun + to)), 0.0), 48.0) * 0.22 * shade;
  float rim = pow(1.0 - max(dot(n, to), 0.0), 3.0) * 0.16;
  vec3 c = base * (ambient + 1.9 * lambert * shade) + gloss + rim * above;
  c = c * (1.0 + c / 6.0) / (1.0 + c);               // bright colours bend instead of breaking
  result = vec4(pow(c * 1.18, vec3(1.0 / 2.2)), tint.a);
}`];

SHADERS.depth = [SHADERS.solid[0], `#version 300 es
precision highp float;
void main() {}`];

SHADERS.ground = [`#version 300 es
precision highp float;
layout(location=0) in vec2 corner;
uniform mat4 camera, light; uniform vec3 middle; uniform float reach;
out vec3 world; out vec4 lit;
void main() {
  world = vec3(middle.xy + corner * reach, middle.z);
  lit = light * vec4(world, 1.0);
  gl_Position = camera * vec4(world, 1.0);
}`, `#version 300 es
precision highp float;
in vec3 world; in vec4 lit;
uniform vec3 middle, line; uniform float reach, cell, dark;
uniform highp sampler2DShadow shadow;
out vec4 result;
float grid(vec2 p, float size) {
  vec2 d = fwidth(p / size), g = abs(fract(p / size - 0.5) - 0.5) / max(d, vec2(1e-6));
  return (1.0 - min(min(g.x, g.y), 1.0)) * clamp(1.0 - 2.0 * max(d.x, d.y), 0.0, 1.0);
}
void main() {
  vec3 p = lit.xyz / lit.w * 0.5 + 0.5;
  float covered = 0.0, d = 1.2 / float(textureSize(shadow, 0).x);
  if (all(greaterThan(p, vec3(0.0))) && all(lessThan(p, vec3(1.0))))
    for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++)
      covered += (1.0 - texture(shadow, vec3(p.xy + d * vec2(i, j), p.z - 0.001))) / 25.0;
  float far = length(world.xy - middle.xy) / reach, fade = 1.0 - smoothstep(0.15, 0.95, far);
  float lines = max(0.16 * grid(world.xy, cell), 0.42 * grid(world.xy, 5.0 * cell));
  float shade = dark * covered * fade;
  result = vec4(line * (1.0 - shade), max(lines * fade, shade));
}`];

SHADERS.sky = [`#version 300 es
precision highp float;
layout(location=0) in vec2 corner;
uniform mat4 turn;
out vec3 ray; out vec2 at;
void main() { at = corner; ray = mat3(turn) * vec3(corner, -1.0); gl_Position = vec4(corner, 0.9999, 1.0); }`, `#version 300 es
precision highp float;
in vec3 ray; in vec2 at;
uniform vec3 top, bottom; uniform float stars;
out vec4 result;
float hash(vec3 p) { p = fract(p * vec3(0.1031, 0.1030, 0.0973)); p += dot(p, p.yxz + 33.33); return fract((p.x + p.y) * p.z); }
void main() {
  vec3 d = normalize(ray);
  vec3 c = mix(bottom, top, smoothstep(-0.6, 0.7, d.z));
  if (stars > 0.0) {
    vec3 p = d * 90.0, cell = floor(p);
    float h = hash(cell);
    float s = h > 0.975 ? smoothstep(0.16, 0.0, length(fract(p) - 0.5)) * (h - 0.975) / 0.025 : 0.0;
    c += stars * s * vec3(0.85, 0.9, 1.0);
    c *= 1.0 - 0.25 * dot(at, at);
  }
  c += (hash(vec3(gl_FragCoord.xy, 1.0)) - 0.5) / 255.0;   // no bands
  result = vec4(c, 1.0);
}`];

SHADERS.trail = [`#version 300 es
precision highp float;
layout(location=0) in vec2 corner;      // 0 or 1 along, -1 or 1 across
layout(location=1) in vec3 start;
layout(location=2) in vec3 stop;
uniform mat4 camera; uniform vec2 pixel; uniform float width, now, count; uniform vec4 color;
out vec4 tint;
void main() {
  vec4 a = camera * vec4(start, 1.0), b = camera * vec4(stop, 1.0);
  vec2 along = b.xy / b.w - a.xy / a.w;
  along = along / max(length(along / pixel), 1e-6);
  vec2 across = vec2(-along.y / pixel.y * pixel.x, along.x / pixel.x * pixel.y);
  vec4 p = corner.x < 0.5 ? a : b;
  p.xy += across * corner.y * width * p.w;
  gl_Position = p;
  float age = (float(gl_InstanceID) - now) / count;
  tint = vec4(color.rgb, age > 0.0 ? 0.12 : color.a);
}`, `#version 300 es
precision highp float;
in vec4 tint; out vec4 result;
void main() { result = tint; }`];
