/** Surfaces of bodies: one restrained look for all. Where the processor draws, they are plainer. */

import { Color, DoubleSide, FrontSide, MeshLambertMaterial, MeshStandardMaterial } from "three";

export type Surface = MeshStandardMaterial | MeshLambertMaterial;

export interface Look {
  colour: Color;
  opacity?: number;
  /** a thin wall that is seen from both sides */
  wall?: boolean;
  vertexColours?: boolean;
  metal?: boolean;
}

/** Light at a vertex, as MeshLambertMaterial has it in a fragment; the result is a colour of the screen. */
export const LIT = `
uniform vec3 diffuse, emissive;
#if NUM_DIR_LIGHTS > 0
struct DirectionalLight { vec3 direction; vec3 color; };
uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
struct HemisphereLight { vec3 direction; vec3 skyColor; vec3 groundColor; };
uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
#endif
vec3 lit(vec3 normal) {
  vec3 light = vec3(0.0);
  #if NUM_HEMI_LIGHTS > 0
  light += mix(hemisphereLights[0].groundColor, hemisphereLights[0].skyColor, 0.5 * dot(normal, hemisphereLights[0].direction) + 0.5);
  #endif
  #if NUM_DIR_LIGHTS > 0
  light += max(0.0, dot(normal, directionalLights[0].direction)) * directionalLights[0].color;
  #endif
  vec3 own = diffuse;
  #ifdef USE_COLOR
  own *= color;
  #endif
  vec3 sent = own * light * 0.31830989 + emissive;
  // the transfer function of sRGB, within a thousandth, by roots: powers cost more
  vec3 second = sqrt(sent), fourth = sqrt(second), eighth = sqrt(fourth);
  return clamp(0.662002687 * second + 0.684122060 * fourth - 0.323583601 * eighth - 0.0225411470 * sent, 0.0, 1.0);
}`;

const VERTEX = `${LIT}
varying vec3 vTint;
#ifdef DOUBLE_SIDED
varying vec3 vBack;
#endif
void main() {
  vec3 turned = normalize(normalMatrix * normal);
  vTint = lit(turned);
  #ifdef DOUBLE_SIDED
  vBack = lit(-turned);
  #endif
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
}`;

const FRAGMENT = `
uniform float opacity;
varying vec3 vTint;
#ifdef DOUBLE_SIDED
varying vec3 vBack;
#endif
void main() {
  #ifdef DOUBLE_SIDED
  gl_FragColor = vec4(gl_FrontFacing ? vTint : vBack, opacity);
  #else
  gl_FragColor = vec4(vTint, opacity);
  #endif
}`;

let plain = false;

/** For software rendering: no highlights. */
export function setPlain(on: boolean): void {
  plain = on;
}

export function isPlain(): boolean {
  return plain;
}

/** One shader in pictures with shadows, another one in those without. */
export function orQuick(full: string, quick: string): string {
  return `#ifdef USE_SHADOWMAP\n${full}\n#else\n${quick}\n#endif`;
}

/** A surface that is lit at its vertices in pictures without shadows, so that a fragment only fills its pixel. */
export function quickSurface(given: ConstructorParameters<typeof MeshLambertMaterial>[0]): MeshLambertMaterial {
  const material = new MeshLambertMaterial(given);
  if (!plain) return material;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = orQuick(shader.vertexShader, VERTEX);
    shader.fragmentShader = orQuick(shader.fragmentShader, FRAGMENT);
  };
  material.customProgramCacheKey = () => "quick";
  return material;
}

export function surface({ colour, opacity = 1, wall = false, vertexColours = false, metal = false }: Look): Surface {
  const clear = opacity < 1;
  const common = {
    color: vertexColours ? new Color(1, 1, 1) : colour,
    vertexColors: vertexColours,
    side: wall ? DoubleSide : FrontSide,
    transparent: clear,
    opacity,
    depthWrite: !clear,
    forceSinglePass: true,
  };
  if (plain) return quickSurface(common);
  return new MeshStandardMaterial({ ...common, roughness: metal ? 0.45 : 0.62, metalness: metal ? 0.35 : 0.05 });
}
