/** The stage: renderer, lights, background and camera. Draws when something has changed, and finely once nothing moves. */

import {
  CanvasTexture, Color, DirectionalLight, Fog, HemisphereLight, PCFShadowMap, Scene, SRGBColorSpace, Vector3, WebGLRenderer,
} from "three";
import { Camera, type Margins } from "./camera";
import { LIGHT, type Theme } from "./colours";
import { setPlain } from "./materials";
import { LEVELS, Quality, type Level } from "./quality";

const STILL = 280; // ms without change after which a picture is drawn finely
const TILT = new Vector3(-0.45, -0.7, 1.15).normalize();

export class Stage {
  readonly scene = new Scene();
  readonly camera = new Camera();
  readonly renderer: WebGLRenderer;
  readonly quality: Quality;
  readonly software: boolean;
  theme: Theme = LIGHT;
  shadows = true;
  /** whether a picture is drawn finely once nothing moves; not before all is there */
  finely = false;
  /** called before each picture */
  before: () => void = () => {};
  /** centre and size of what casts shadows */
  readonly shadowAt = new Vector3();
  shadowReach = 1;
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly fill = new DirectionalLight(0xffffff, 0.5);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private width = 1;
  private height = 1;
  private dirty = true;
  private fine = false;
  private changedAt = 0;
  private lastDrawn = 0;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.software = isSoftware();
    setPlain(this.software);
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.software, powerPreference: "high-performance", preserveDrawingBuffer: false });
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.enabled = true;
    this.quality = new Quality(this.software ? 2 : 0, this.software ? 2 : 0);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(this.software ? 1024 : 2048);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    this.sun.shadow.intensity = 0.75;
    this.sun.shadow.radius = 2.5;
    this.fill.position.set(0.8, 0.6, 0.3);
    this.sky.position.set(0, 0, 1);
    this.scene.add(this.sun, this.sun.target, this.sky);
    if (!this.software) this.scene.add(this.fill); // each light costs where the processor draws
    this.setTheme(LIGHT);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    (this.scene.background as Partial<CanvasTexture> | null)?.dispose?.();
    const plain = new Color(theme.top).lerp(new Color(theme.bottom), 0.4);
    this.scene.background = this.software ? plain : gradient(theme);
    this.scene.fog = new Fog(plain, 1, 1e6);
    this.sun.intensity = theme.dark ? 1.7 : 2.1;
    this.sky.intensity = theme.dark ? 0.9 : 1.5;
    this.sky.groundColor.set(theme.dark ? "#3d4450" : "#a9a294");
    this.invalidate();
  }

  /** margins: what panels cover of the picture */
  resize(width: number, height: number, margins?: Margins): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.camera.resize(this.width, this.height, margins);
    this.apply(this.quality.now);
    this.invalidate();
  }

  get size(): [number, number] {
    return [this.width, this.height];
  }

  private apply(level: Level, supersample = false): void {
    const own = Math.max(1, window.devicePixelRatio);
    const ratio = supersample ? Math.max(own, 2) : Math.min(level.pixels, own);
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(this.width, this.height, false);
    this.sun.castShadow = level.shadows && this.shadows;
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** Called with every frame of the page; whether a picture was drawn. */
  frame(now: number, passed: number): boolean {
    if (this.camera.moving) this.dirty = true;
    if (!this.dirty) {
      if (this.finely && !this.fine && now - this.changedAt > STILL) this.drawFinely();
      return false;
    }
    this.dirty = false;
    if (this.fine) {
      this.fine = false;
      this.quality.rest();
      this.lastDrawn = 0;
      this.apply(this.quality.now);
    }
    this.changedAt = now;
    this.camera.update(passed);
    this.draw();
    if (this.lastDrawn && this.quality.mark(now - this.lastDrawn)) this.apply(this.quality.now);
    this.lastDrawn = now;
    return true;
  }

  private drawFinely(): void {
    this.fine = true;
    this.lastDrawn = 0;
    this.apply(LEVELS[0], this.software);
    this.camera.update(0);
    this.draw();
  }

  private draw(): void {
    const reach = this.shadowReach;
    this.sun.target.position.copy(this.shadowAt);
    this.sun.position.copy(this.shadowAt).addScaledVector(TILT, reach * 3);
    const box = this.sun.shadow.camera;
    [box.left, box.right, box.bottom, box.top, box.near, box.far] = [-reach, reach, -reach, reach, reach * 0.5, reach * 6];
    box.updateProjectionMatrix();
    const fog = this.scene.fog as Fog;
    const far = this.camera.eye.position.distanceTo(this.camera.target);
    fog.near = far + this.camera.reach * 6;
    fog.far = far + this.camera.reach * 60;
    this.before();
    this.renderer.render(this.scene, this.camera.eye);
  }

  /** PNG as a data URL, at the present size, drawn finely; `over` paints what lies over the scene, in pixels of the page. */
  picture(over: (paint: CanvasRenderingContext2D) => void = () => {}): string {
    this.drawFinely();
    const scaled = document.createElement("canvas");
    const ratio = Math.max(1, window.devicePixelRatio);
    [scaled.width, scaled.height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    const paint = scaled.getContext("2d")!;
    paint.imageSmoothingQuality = "high";
    paint.drawImage(this.canvas, 0, 0, scaled.width, scaled.height);
    paint.scale(ratio, ratio);
    over(paint);
    return scaled.toDataURL("image/png");
  }

  dispose(): void {
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

function gradient(theme: Theme): CanvasTexture {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2, 128];
  const paint = canvas.getContext("2d")!;
  const fill = paint.createLinearGradient(0, 0, 0, 128);
  fill.addColorStop(0, theme.top);
  fill.addColorStop(1, theme.bottom);
  paint.fillStyle = fill;
  paint.fillRect(0, 0, 2, 128);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

function isSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) throw new Error("This browser has no WebGL 2, which the viewer needs: use a newer browser, or allow hardware acceleration.");
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : gl.getParameter(gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
