/** The clock of a page: which time is shown. A film is played by the clock on the wall; a live run is followed. */

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Clock {
  time = 0;
  first = 0;
  last = 0;
  playing = false;
  loop = true;
  speed = 1;
  /** a film to which samples are still added: it is played up to its end, and waits there for more */
  growing = false;
  /** a live run whose latest frame is shown */
  following = false;
  private readonly listeners = new Set<() => void>();

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  setRange(first: number, last: number): void {
    if (first === this.first && last === this.last) return;
    this.first = first;
    this.last = Math.max(first, last);
    this.time = Math.min(Math.max(this.time, this.first), this.last);
    this.changed();
  }

  /** Wall time has passed [s]. */
  tick(passed: number): void {
    if (!this.playing || this.following) return;
    const length = this.last - this.first;
    let time = this.time + passed * this.speed;
    if (time > this.last) {
      if (this.growing) time = this.last;
      else if (this.loop && length > 0) time = this.first + ((time - this.first) % length);
      else {
        time = this.last;
        this.playing = false;
      }
    }
    this.time = time;
    this.changed();
  }

  seek(time: number): void {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(Math.max(time, this.first), this.last);
    this.following = false;
    this.changed();
  }

  play(): void {
    if (!this.loop && this.time >= this.last) this.time = this.first;
    this.playing = true;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  follow(on: boolean): void {
    this.following = on;
    if (on) this.time = this.last;
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = Math.min(Math.max(speed, SPEEDS[0]), SPEEDS[SPEEDS.length - 1]);
    this.changed();
  }

  setLoop(on: boolean): void {
    this.loop = on;
    this.changed();
  }

  /** To the sample before or after the present time, and stop there. */
  step(times: ArrayLike<number>, by: number): void {
    let k = 0;
    while (k < times.length && times[k] < this.time - 1e-9) k++;
    const exact = k < times.length && Math.abs(times[k] - this.time) <= 1e-9;
    const to = by < 0 ? k - 1 : exact ? k + 1 : k;
    this.playing = false;
    this.seek(times.length ? times[Math.min(Math.max(to, 0), times.length - 1)] : this.time);
  }
}
