/** What the driver wants, from keys, a gamepad or fingers. */

export interface Wish {
  throttle: number;
  brake: number;
  steering: number;
  gear: string;
  low: boolean;
  /** from keys, which are on or off: the vehicle's side turns them into the motion of hands and feet */
  smooth: boolean;
}

/** What keys do that are no pedals. */
export type Deed = "reset" | "camera" | "low" | "record" | "pause" | "help";

const PEDALS: Record<string, "ahead" | "back" | "left" | "right" | "stop"> = {
  ArrowUp: "ahead", KeyW: "ahead", ArrowDown: "back", KeyS: "back", ArrowLeft: "left", KeyA: "left", ArrowRight: "right",
  KeyD: "right", Space: "stop",
};
const DEEDS: Record<string, Deed> = { KeyR: "reset", KeyC: "camera", KeyG: "low", KeyV: "record", KeyP: "pause", KeyH: "help" };
const STANDING = 0.4; // m/s, below which the direction may change
const DEAD = 0.08; // of a stick

export class Pedals {
  low = false;
  /** "auto": ahead and back by the pedals; else the lever as it was set */
  lever = "auto";
  private readonly held = new Set<string>();
  private reverse = false;
  private readonly touch = { throttle: 0, brake: 0, steering: 0, used: false };

  /** Whether the key is one of ours. */
  key(code: string, down: boolean): boolean {
    const pedal = PEDALS[code];
    if (!pedal) return false;
    if (down) this.held.add(pedal);
    else this.held.delete(pedal);
    this.touch.used = false;
    return true;
  }

  /** The next position of the gear lever, of those that the vehicle has. */
  nextLever(gears: string[]): string {
    const levers = ["auto", ...gears];
    return (this.lever = levers[(levers.indexOf(this.lever) + 1) % levers.length]);
  }

  deed(code: string): Deed | null {
    return DEEDS[code] ?? null;
  }

  release(): void {
    this.held.clear();
    Object.assign(this.touch, { throttle: 0, brake: 0, steering: 0 });
  }

  finger(part: "throttle" | "brake" | "steering", value: number): void {
    this.touch[part] = value;
    this.touch.used = true;
  }

  /** speed [m/s], ahead positive; pad: the first gamepad, if there is one. */
  wish(speed: number, pad: Gamepad | null): Wish {
    const keys = {
      throttle: this.held.has("ahead") ? 1 : 0,
      brake: this.held.has("back") ? 1 : 0,
      steering: (this.held.has("left") ? 1 : 0) - (this.held.has("right") ? 1 : 0),
    };
    const stick = pad ? padWish(pad) : null;
    const pads = stick !== null && (stick.throttle > 0 || stick.brake > 0 || stick.steering !== 0) && this.held.size === 0;
    const { throttle, brake, steering } = pads ? stick! : this.touch.used && this.held.size === 0 ? this.touch : keys;
    const smooth = !pads && !(this.touch.used && this.held.size === 0);
    const stop = this.held.has("stop");
    const wish: Wish = { throttle, brake: stop ? 1 : brake, steering, gear: "D", low: this.low, smooth };
    if (this.lever !== "auto") return { ...wish, gear: this.lever };
    // ahead and back: the pedal against the direction of travel brakes, and at rest changes it
    if (brake > 0 && throttle === 0 && speed < STANDING) this.reverse = true;
    if (throttle > 0 && speed > -STANDING) this.reverse = false;
    if (this.reverse) {
      wish.gear = "R";
      wish.throttle = speed < STANDING ? brake : 0;
      wish.brake = stop ? 1 : throttle > 0 ? throttle : speed >= STANDING ? brake : 0;
    }
    return wish;
  }
}

function padWish(pad: Gamepad): { throttle: number; brake: number; steering: number } {
  const x = pad.axes[0] ?? 0;
  const steering = Math.abs(x) < DEAD ? 0 : -(Math.sign(x) * (Math.abs(x) - DEAD)) / (1 - DEAD);
  const press = (k: number) => {
    const value = pad.buttons[k]?.value ?? 0;
    return value < DEAD ? 0 : value;
  };
  return { throttle: press(7), brake: press(6), steering: Math.max(-1, Math.min(1, steering)) };
}
