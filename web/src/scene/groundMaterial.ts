/** The surface of a terrain: lines every metre, edges or a distance that fade, and holes where patches of ruts lie. */

import { MeshLambertMaterial, Vector2, type DataTexture } from "three";
import type { Terrain } from "../transport/types";
import { isPlain, LIT, orQuick } from "./materials";

/** from where to where ground that goes on fades [m] */
const FADE = { NEAR: "60.0", FAR: "260.0" };

const GIVEN = `
varying vec2 vGround;
uniform vec2 corner, patches, size, low, high;
uniform float fade;
#ifdef SOFT
uniform sampler2D mask;
#endif
/** How dark a line is at this point. */
float line() {
  #ifdef SOFT
  vec2 inside = vGround - corner;
  if (all(greaterThan(inside, vec2(0.0))) && all(lessThan(inside, size)) && texture2D(mask, inside / patches).r > 0.5) discard;
  #endif
  vec2 wide = max(fwidth(vGround), vec2(1e-5));
  vec2 off = abs(fract(vGround - 0.5) - 0.5) / wide;
  vec2 lines = clamp(1.0 - off * 0.8, 0.0, 1.0) * clamp(0.2 / wide, 0.0, 1.0);
  return 0.1 * max(lines.x, lines.y);
}
/** 0 at the edge, 1 inside; of ground that goes on: 0 far from the eye. */
float away() {
  #ifdef ENDLESS
  return 1.0 - smoothstep(NEAR, FAR, distance(vGround, cameraPosition.xy));
  #endif
  vec2 edge = min(vGround - low, high - vGround) / fade;
  return smoothstep(0.0, 1.0, min(edge.x, edge.y));
}`;

const VERTEX = `${LIT}
varying vec2 vGround;
varying vec3 vTint;
void main() {
  vGround = position.xy;
  vTint = lit(normalize(normalMatrix * normal));
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
}`;

const FRAGMENT = `${GIVEN}
uniform vec3 fogColor;
varying vec3 vTint;
void main() {
  gl_FragColor = vec4(mix(fogColor, vTint * (1.0 - 0.5 * line()), away()), 1.0);
}`;

/** mask: a texel for each patch of so many cells along a side, not zero where it is drawn by itself; null: of a patch.
 * endless: it goes on beyond its edges. */
export function groundMaterial(data: Terrain, mask: DataTexture | null, side: number, endless = false): MeshLambertMaterial {
  const plain = isPlain();
  const { low, cell, shape: [ny, nx], soft } = data;
  // where the processor draws, blending costs: the edges take the colour of the background
  const material = new MeshLambertMaterial({ transparent: !plain, vertexColors: mask === null });
  material.defines = { ...(soft && mask ? { SOFT: "" } : {}), ...(endless ? { ENDLESS: "", ...FADE } : {}) };
  material.customProgramCacheKey = () => `ground ${soft && mask ? "soft" : ""} ${endless ? "endless" : ""}`;
  const high = new Vector2(low[0] + (nx - 1) * cell[0], low[1] + (ny - 1) * cell[1]);
  const uniforms = {
    mask: { value: mask }, corner: { value: new Vector2(...(soft?.at ?? [0, 0])) },
    patches: { value: soft && mask ? new Vector2(soft.cell[0] * side * mask.image.width!, soft.cell[1] * side * mask.image.height!) : new Vector2(1, 1) },
    size: { value: soft ? new Vector2(soft.cell[0] * soft.shape[1], soft.cell[1] * soft.shape[0]) : new Vector2(-1, -1) },
    low: { value: new Vector2(...low) }, high: { value: high }, fade: { value: 0.12 * Math.min(high.x - low[0], high.y - low[1]) },
  };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    const vertex = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vGround;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvGround = position.xy;");
    const fragment = shader.fragmentShader
      .replace("#include <common>", `#include <common>${GIVEN}`)
      .replace("#include <color_fragment>", `#include <color_fragment>\ndiffuseColor.rgb *= 1.0 - line();\n${plain ? "" : "diffuseColor.a *= away();"}`)
      .replace("#include <fog_fragment>", `#include <fog_fragment>\n${plain ? "gl_FragColor.rgb = mix(fogColor, gl_FragColor.rgb, away());" : ""}`);
    shader.vertexShader = plain ? orQuick(vertex, VERTEX) : vertex;
    shader.fragmentShader = plain ? orQuick(fragment, FRAGMENT) : fragment;
  };
  return material;
}
