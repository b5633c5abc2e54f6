/** The ground under a machine: a plane with a grid that fades with distance; its lines are 1, 2 or 5 times a power of ten apart. */

import { Color, Mesh, MeshLambertMaterial, PlaneGeometry, Vector2, type WebGLProgramParametersWithUniforms } from "three";
import type { Theme } from "./colours";

/** The nearest 1, 2 or 5 times a power of ten below. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const share = length / power;
  return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

export class Ground {
  readonly mesh: Mesh<PlaneGeometry, MeshLambertMaterial>;
  /** distance of the lines [m] */
  cell = 1;
  private readonly uniforms = {
    cell: { value: 1 },
    reach: { value: 10 },
    middle: { value: new Vector2() },
    line: { value: new Color() },
    axisX: { value: new Color("#c25b54") },
    axisY: { value: new Color("#5d9a5f") },
  };

  constructor(theme: Theme) {
    const material = new MeshLambertMaterial({ transparent: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 });
    material.onBeforeCompile = (shader) => this.weave(shader);
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.receiveShadow = true;
    this.mesh.raycast = () => {};
    this.mesh.renderOrder = -1;
    this.setTheme(theme);
  }

  private weave(shader: WebGLProgramParametersWithUniforms): void {
    Object.assign(shader.uniforms, this.uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vGround;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvGround = (modelMatrix * vec4(position, 1.0)).xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>
        varying vec2 vGround;
        uniform float cell, reach;
        uniform vec2 middle;
        uniform vec3 line, axisX, axisY;
        float ruled(vec2 at, vec2 wide) {
          vec2 off = abs(fract(at - 0.5) - 0.5) / wide;
          vec2 lines = (1.0 - smoothstep(0.0, 1.3, off)) * clamp(0.35 / wide, 0.0, 1.0);
          return max(lines.x, lines.y);
        }`)
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec2 at = vGround / cell;
        vec2 wide = max(fwidth(at), vec2(1e-5));
        float fine = ruled(at, wide) * 0.35;
        float coarse = ruled(at / 5.0, wide / 5.0) * 0.75;
        diffuseColor.rgb = mix(diffuseColor.rgb, line, max(fine, coarse));
        vec2 axis = (1.0 - smoothstep(0.0, 1.6, abs(at) / wide)) * 0.9;
        diffuseColor.rgb = mix(diffuseColor.rgb, axisX, axis.y);
        diffuseColor.rgb = mix(diffuseColor.rgb, axisY, axis.x);
        float away = length(vGround - middle) / reach;
        diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, away);`);
  }

  /** Lies at height z; reach: size of what stands on it [m]. */
  place(x: number, y: number, z: number, reach: number): void {
    this.cell = roundLength(reach / 4);
    this.uniforms.cell.value = this.cell;
    this.uniforms.reach.value = 7 * reach;
    this.uniforms.middle.value.set(x, y);
    this.mesh.position.set(x, y, z);
    this.mesh.scale.set(14 * reach, 14 * reach, 1);
  }

  setTheme(theme: Theme): void {
    this.mesh.material.color.set(theme.ground);
    this.uniforms.line.value.set(theme.line);
  }
}
