import { Box3, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { outgrown, withArrows } from "../src/play/frame";
import type { Arrows } from "../src/transport/types";

const box = (x: number, y: number, z: number, at = 0) => new Box3(new Vector3(at, 0, 0), new Vector3(at + x, y, z));

describe("the frame of a machine that changes", () => {
  it("is kept while it fits", () => {
    expect(outgrown(null, box(1, 1, 1))).toBe(true);
    expect(outgrown(box(1, 1, 0.1), box(1.05, 0.95, 0.1))).toBe(false);
    expect(outgrown(box(1, 1, 0), box(1, 1, 0.01))).toBe(false); // a plane machine that is no longer quite plane
  });

  it("is made anew for one that is larger, much smaller or elsewhere", () => {
    expect(outgrown(box(1, 1, 1), box(1, 1.2, 1))).toBe(true);
    expect(outgrown(box(1, 1, 1), box(0.6, 0.6, 0.6, 0.2))).toBe(true);
    expect(outgrown(box(1, 1, 1), box(1, 1, 1, 0.3))).toBe(true);
  });

  it("holds arrows that stand out a little, and not those that are endless", () => {
    const arrows = (...heads: number[]) => ({ heads: Float32Array.from(heads) }) as unknown as Arrows;
    expect(withArrows(box(1, 1, 1), null).max.z).toBe(1);
    expect(withArrows(box(1, 1, 1), arrows(0.5, 0.5, 1.3, NaN, 0, 0)).max.z).toBeCloseTo(1.3);
    const long = withArrows(box(1, 1, 1), arrows(0.5, 0.5, 900));
    expect(long.max.z).toBeGreaterThan(1.2);
    expect(long.max.z).toBeLessThan(1.5);
  });
});
