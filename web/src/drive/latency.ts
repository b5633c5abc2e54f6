/** From a key to motion: time between a keydown and the first drawn picture in which the wheels steer that way, or the
 * vehicle accelerates or brakes. */

const STEERED = 0.0017; // rad, a tenth of a degree
const SETTLED = 0.006; // rad between two pictures
const FASTER = 0.02; // m/s
const AT_REST = 0.3;

interface Open {
  at: number;
  kind: "left" | "right" | "ahead";
  angle: number;
  speed: number;
}

export class Latency {
  readonly times: number[] = [];
  missed = 0;
  /** keys that came while the wheels were turning: not counted */
  unsettled = 0;
  private open: Open | null = null;
  private angle = 0;
  private speed = 0;
  private turning = false;

  pressed(code: string, at: number): void {
    const kind = /Left$|KeyA/.test(code) ? "left" : /Right$|KeyD/.test(code) ? "right" : /Up$|KeyW/.test(code) ? "ahead" : null;
    // how a vehicle that rolls accelerates cannot be told from how it rolls: only from rest does that key count
    if (!kind || (kind === "ahead" && Math.abs(this.speed) > AT_REST)) return;
    if (this.open) this.miss(at);
    // wheels that still turn back from the key before would seem to obey at once, or late: such a key tells nothing
    if (kind !== "ahead" && this.turning) {
      this.unsettled++;
      this.open = null;
      return;
    }
    this.open = { at, kind, angle: this.angle, speed: this.speed };
  }

  /** A picture with these values was drawn; now: clock of the page [ms]. */
  drawn(angle: number, speed: number, now: number): void {
    this.turning = Math.abs(angle - this.angle) > SETTLED;
    this.angle = angle;
    this.speed = speed;
    const open = this.open;
    if (!open) return;
    // what is left of an earlier motion must turn round first
    if (open.kind === "left") open.angle = Math.min(open.angle, angle);
    if (open.kind === "right") open.angle = Math.max(open.angle, angle);
    open.speed = Math.min(open.speed, speed);
    const turned = angle - open.angle;
    const moved =
      open.kind === "ahead" ? speed - open.speed > FASTER : open.kind === "left" ? turned > STEERED : turned < -STEERED;
    if (moved) {
      this.times.push(now - open.at);
      this.open = null;
    } else if (now - open.at > 3000) this.miss(now);
  }

  /** No motion until now, or until the next key: it counts with the time that has passed. */
  private miss(now: number): void {
    if (this.open) this.times.push(now - this.open.at);
    this.missed++;
    this.open = null;
  }

  quantile(share: number): number {
    if (!this.times.length) return NaN;
    const sorted = [...this.times].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }

  summary(): { count: number; missed: number; unsettled: number; p50: number; p99: number; last: number } {
    return { count: this.times.length, missed: this.missed, unsettled: this.unsettled, p50: this.quantile(0.5), p99: this.quantile(0.99), last: this.times[this.times.length - 1] ?? NaN };
  }
}
