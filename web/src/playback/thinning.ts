/** Fewer grains where even the plainest pictures come too slowly. */

const SLOW = 21; // pictures a second
const LONG = 2500; // ms
const LEAST = 30_000;

export class Thinning {
  private slowSince = 0;

  /** How many grains to ask for from now on, or null: as many as before. fps: of the plainest pictures, else 0. */
  most(now: number, fps: number, drawn: number): number | null {
    const slow = fps > 0 && fps < SLOW && drawn > LEAST;
    if (!slow) this.slowSince = now;
    if (!slow || now - this.slowSince <= LONG) return null;
    this.slowSince = now;
    return Math.max(LEAST, Math.round(0.75 * drawn));
  }
}
