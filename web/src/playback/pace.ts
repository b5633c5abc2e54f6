/** How well drawing keeps up: frames per second, and the share of the frames that were due and were drawn. */

const WINDOW = 2000; // ms
const SCREEN = 60;

export class Pace {
  private drawn: number[] = [];

  /** A picture was drawn at `now` [ms]. */
  mark(now: number): void {
    this.drawn.push(now);
    while (this.drawn.length && this.drawn[0] < now - WINDOW) this.drawn.shift();
  }

  rest(): void {
    this.drawn = [];
  }

  get fps(): number {
    const n = this.drawn.length;
    return n > 1 ? ((n - 1) * 1000) / (this.drawn[n - 1] - this.drawn[0]) : 0;
  }

  /** Of the frames per second that a film has at this speed, of which a screen shows 60 at most; null: too early to say. */
  share(rate: number): number | null {
    if (this.drawn.length < 5 || this.drawn[this.drawn.length - 1] - this.drawn[0] < WINDOW / 4) return null;
    return Math.min(1, this.fps / Math.max(1e-9, Math.min(rate, SCREEN)));
  }
}
