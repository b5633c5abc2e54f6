/**
 * Grains as spheres drawn on points: one draw call, positions as 16 bit numbers within a box, read as they are. The fragment
 * shader finds the sphere's surface; while grains are large on the screen it writes the true depth, too.
 */

import {
  BufferAttribute, BufferGeometry, Color, DataTexture, GLSL3, NearestFilter, Points, RawShaderMaterial, RGBAFormat, Vector3,
  type Camera,
} from "three";
import type { Grains as Data } from "../transport/types";
import { scaleBytes, type Theme } from "./colours";

const VERTEX = `
precision highp float;
in vec4 position; // and in w the value
#ifdef MOVING
in vec4 following;
uniform vec3 low2, span2;
uniform float between, jump;
#endif
#ifdef SIZED
in float radius;
#else
uniform float radius;
#endif
#ifdef VALUED
uniform sampler2D scale;
#endif
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 low, span, plain;
uniform float focal;
out vec3 tint;
#ifdef DEEP
out vec4 ball;
#endif
void main() {
  vec3 at = low + span * position.xyz;
  #ifdef MOVING
  vec3 next = low2 + span2 * following.xyz;
  if (distance(at, next) < jump) at = mix(at, next, between);
  #endif
  vec4 seen = modelViewMatrix * vec4(at, 1.0);
  gl_Position = projectionMatrix * seen;
  gl_PointSize = max(1.0, 2.0 * radius * focal / max(1e-6, -seen.z));
  #ifdef VALUED
  tint = texelFetch(scale, ivec2(position.w * 255.0 + 0.5, 0), 0).rgb;
  #else
  tint = plain;
  #endif
  // grains differ a little, as stones do
  tint *= 0.86 + 0.2 * float((uint(gl_VertexID) * 2654435761u) >> 16) / 65536.0;
  #ifdef DEEP
  ball = vec4(seen.xyz, radius);
  #endif
}`;

const FRAGMENT = `
precision mediump float;
in vec3 tint;
out vec4 colour;
uniform mediump vec3 sun;
uniform float ambient;
#ifdef DEEP
precision highp float;
in vec4 ball;
uniform highp mat4 projectionMatrix;
#endif
void main() {
  vec2 at = gl_PointCoord * 2.0 - 1.0;
  float far = dot(at, at);
  if (far > 1.0) discard;
  vec3 normal = vec3(at.x, -at.y, sqrt(1.0 - far));
  float light = ambient + (1.0 - ambient) * max(0.0, dot(normal, sun));
  colour = vec4(tint * light, 1.0);
  #ifdef DEEP
  float z = ball.z + ball.w * normal.z;
  float depth = (projectionMatrix[2][2] * z + projectionMatrix[3][2]) / -z;
  gl_FragDepth = 0.5 * depth + 0.5;
  #endif
}`;

/** Positions and values as fours of 16 bit numbers: what a graphics card reads without turning it into something else. */
export function packed({ position, value, drawn }: Data): Uint16Array {
  const out = new Uint16Array(4 * drawn);
  for (let k = 0, from = 0, to = 0; k < drawn; k++, from += 3, to += 4) {
    out[to] = position[from];
    out[to + 1] = position[from + 1];
    out[to + 2] = position[from + 2];
    if (value) out[to + 3] = 257 * value[k];
  }
  return out;
}

/** Above this size on the screen [pixels] a sphere has its true depth: below, nobody sees the difference. */
const DEEP_ABOVE = 7;

export class Grains {
  readonly points: Points<BufferGeometry, RawShaderMaterial>;
  shown: Data | null = null;
  private readonly sun = new Vector3();
  private nextShown: Data | null = null;
  private meanRadius = 0.01;
  private readonly middle = new Vector3();

  constructor(theme: Theme) {
    const scale = new DataTexture(scaleBytes(), 256, 1, RGBAFormat);
    scale.minFilter = scale.magFilter = NearestFilter;
    scale.needsUpdate = true;
    const v3 = () => ({ value: new Vector3() });
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, defines: {},
      uniforms: {
        low: v3(), span: v3(), low2: v3(), span2: v3(), between: { value: 0 }, jump: { value: 0 }, radius: { value: 0.01 },
        focal: { value: 1 }, plain: { value: new Color() }, scale: { value: scale }, sun: { value: this.sun }, ambient: { value: 0.42 },
      },
    });
    this.points = new Points(new BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.visible = false;
    this.setTheme(theme);
  }

  /** Draws grains, on their way to the next frame's by a share; null: none. */
  show(data: Data | null, next: Data | null = null, between = 0): void {
    const { points } = this;
    points.visible = data !== null && data.drawn > 0;
    if (!data) {
      this.shown = null;
      return;
    }
    const { uniforms } = points.material;
    const usable = next && next.drawn === data.drawn && next.count === data.count ? next : null;
    uniforms.between.value = between;
    if (data !== this.shown || usable !== this.nextShown) {
      this.define("MOVING", usable !== null);
      this.define("SIZED", typeof data.radius !== "number");
      this.define("VALUED", data.value !== null);
      uniforms.low.value.set(...data.low);
      uniforms.span.value.set(data.high[0] - data.low[0], data.high[1] - data.low[1], data.high[2] - data.low[2]);
      this.middle.set(...data.low).addScaledVector(uniforms.span.value as Vector3, 0.5);
      this.fill("position", packed(data), 4);
      if (typeof data.radius === "number") this.meanRadius = uniforms.radius.value = data.radius;
      else {
        this.fill("radius", data.radius, 1);
        this.meanRadius = data.radius[data.radius.length >> 1] ?? 0.01;
      }
      if (usable) {
        uniforms.low2.value.set(...usable.low);
        uniforms.span2.value.set(usable.high[0] - usable.low[0], usable.high[1] - usable.low[1], usable.high[2] - usable.low[2]);
        this.fill("following", packed(usable), 4);
      }
      uniforms.jump.value = 30 * this.meanRadius;
      points.geometry.setDrawRange(0, data.drawn);
      this.shown = data;
      this.nextShown = usable;
    }
  }

  private fill(name: string, data: Uint16Array | Float32Array, width: number): void {
    const old = this.points.geometry.getAttribute(name) as BufferAttribute | undefined;
    if (old && old.array.length === data.length && old.array.constructor === data.constructor) {
      old.array = data;
      old.needsUpdate = true;
      return;
    }
    if (old) this.points.geometry.dispose(); // buffers of another size; three.js makes new ones
    this.points.geometry.setAttribute(name, new BufferAttribute(data, width, !(data instanceof Float32Array)));
  }

  private define(name: string, on: boolean): void {
    const { defines } = this.points.material;
    if (name in defines === on) return;
    if (on) defines[name] = "";
    else delete defines[name];
    this.points.material.needsUpdate = true;
  }

  /** Before each picture: height of the picture [pixels], and where the light comes from in the camera's frame. */
  prepare(camera: Camera, height: number, light: Vector3): void {
    if (!this.points.visible) return;
    const focal = 0.5 * height * camera.projectionMatrix.elements[5];
    this.points.material.uniforms.focal.value = focal;
    this.sun.copy(light).transformDirection(camera.matrixWorldInverse);
    const away = Math.max(1e-6, camera.position.distanceTo(this.middle));
    this.define("DEEP", (2 * this.meanRadius * focal) / away > DEEP_ABOVE);
  }

  /** The grain nearest to a ray: its number, or null. */
  pick(origin: Vector3, direction: Vector3): { index: number; at: Vector3; distance: number } | null {
    const data = this.shown;
    if (!data || !this.points.visible) return null;
    const span = this.points.material.uniforms.span.value as Vector3;
    const at = new Vector3();
    let best: { index: number; at: Vector3; distance: number } | null = null;
    for (let k = 0; k < data.drawn; k++) {
      at.set(data.position[3 * k], data.position[3 * k + 1], data.position[3 * k + 2]).multiplyScalar(1 / 65535).multiply(span);
      at.x += data.low[0] - origin.x;
      at.y += data.low[1] - origin.y;
      at.z += data.low[2] - origin.z;
      const along = at.dot(direction);
      const radius = typeof data.radius === "number" ? data.radius : data.radius[k];
      if (along <= 0 || at.lengthSq() - along * along > radius * radius || (best && along >= best.distance)) continue;
      best = { index: k, at: at.clone().add(origin), distance: along };
    }
    return best;
  }

  setTheme(theme: Theme): void {
    const { uniforms } = this.points.material;
    new Color(theme.grain).getRGB(uniforms.plain.value as Color, "srgb");
    uniforms.ambient.value = theme.dark ? 0.34 : 0.46;
  }
}
