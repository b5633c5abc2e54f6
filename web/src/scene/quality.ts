/** How richly to draw: fewer pixels and no shadows when pictures take too long, and back when there is time again. */

export interface Level {
  /** pixels of the picture per pixel of the page, at most */
  pixels: number;
  shadows: boolean;
}

export const LEVELS: Level[] = [
  { pixels: 2, shadows: true },
  { pixels: 1, shadows: true },
  { pixels: 1, shadows: false },
  { pixels: 0.75, shadows: false },
  { pixels: 0.5, shadows: false },
];

const SLOW = 42; // ms
const FAST = 17.5;
const COUNT = 10; // pictures that decide
const LONG = 600; // ms after which four are enough

export class Quality {
  private recent: number[] = [];
  private patience = 120;
  private calm = 0;

  constructor(
    public level: number,
    private readonly best: number = 0,
  ) {}

  get now(): Level {
    return LEVELS[this.level];
  }

  get plainest(): boolean {
    return this.level === LEVELS.length - 1;
  }

  /** A picture came `gap` ms after the one before; whether the level changed. */
  mark(gap: number): boolean {
    if (gap > 1000) return false; // the page was hidden, or nothing moved
    this.recent.push(gap);
    const passed = this.recent.reduce((sum, one) => sum + one, 0);
    const count = this.recent.length;
    if (count < COUNT && (count < 4 || passed < LONG)) return false;
    const middle = [...this.recent].sort((a, b) => a - b)[count >> 1];
    this.recent = [];
    if (middle > SLOW && this.level < LEVELS.length - 1) {
      this.level++;
      this.calm = 0;
      this.patience = Math.min(4000, this.patience * 2);
      return true;
    }
    this.calm = middle < FAST ? this.calm + count : 0;
    if (this.calm > this.patience && this.level > this.best) {
      this.level--;
      this.calm = 0;
      return true;
    }
    return false;
  }

  rest(): void {
    this.recent = [];
  }
}
