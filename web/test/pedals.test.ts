import { describe, expect, it } from "vitest";
import { Latency } from "../src/drive/latency";
import { Pedals } from "../src/drive/pedals";
import { readLink, writeLink } from "../src/play/link";

describe("pedals", () => {
  it("turns keys into wishes, and knows which keys are its own", () => {
    const pedals = new Pedals();
    expect(pedals.key("KeyQ", true)).toBe(false);
    expect(pedals.key("ArrowUp", true)).toBe(true);
    pedals.key("KeyA", true);
    expect(pedals.wish(3, null)).toMatchObject({ throttle: 1, brake: 0, steering: 1, gear: "D", smooth: true });
    pedals.release();
    expect(pedals.wish(3, null)).toMatchObject({ throttle: 0, steering: 0 });
    expect(pedals.deed("KeyR")).toBe("reset");
  });

  it("brakes first and goes back at rest", () => {
    const pedals = new Pedals();
    pedals.key("ArrowDown", true);
    expect(pedals.wish(5, null)).toMatchObject({ throttle: 0, brake: 1, gear: "D" });
    expect(pedals.wish(0.1, null)).toMatchObject({ throttle: 1, brake: 0, gear: "R" });
    pedals.key("ArrowDown", false);
    pedals.key("ArrowUp", true);
    expect(pedals.wish(-3, null)).toMatchObject({ throttle: 0, brake: 1, gear: "R" });
    expect(pedals.wish(0, null)).toMatchObject({ throttle: 1, brake: 0, gear: "D" });
  });

  it("takes a gamepad and fingers as they are", () => {
    const pedals = new Pedals();
    const buttons = Array.from({ length: 8 }, (_, k) => ({ value: k === 7 ? 0.5 : 0 }));
    const pad = { axes: [-0.54], buttons } as unknown as Gamepad;
    expect(pedals.wish(0, pad)).toMatchObject({ throttle: 0.5, smooth: false });
    expect(pedals.wish(0, pad).steering).toBeCloseTo(0.5);
    pedals.finger("steering", -0.3);
    expect(pedals.wish(0, null)).toMatchObject({ steering: -0.3, smooth: false });
  });
});

describe("latency", () => {
  it("counts until the wheels turn that way, also when they turn back at first", () => {
    const latency = new Latency();
    latency.drawn(0.05, 0, 0);
    latency.pressed("ArrowLeft", 5);
    expect(latency.summary()).toMatchObject({ count: 0, unsettled: 1 }); // the wheels were turning already
    latency.drawn(0.05, 0, 8);
    latency.pressed("ArrowLeft", 10);
    latency.drawn(0.02, 0, 30);
    expect(latency.times).toEqual([]);
    latency.drawn(0.03, 0, 60);
    expect(latency.times).toEqual([50]);
    latency.drawn(0.03, 0, 90);
    latency.pressed("ArrowRight", 100);
    latency.pressed("ArrowRight", 400); // nothing had moved: it counts with the time that passed
    expect(latency.summary()).toMatchObject({ count: 2, missed: 1 });
  });
});

describe("link", () => {
  it("holds what differs, and takes nothing that is no number", () => {
    const own = { crank: 0.2, speed: 1 };
    const hash = writeLink("four-bar", { crank: 0.25, speed: 1 }, own);
    expect(hash).toBe("#four-bar,crank=0.25");
    expect(readLink(hash)).toEqual({ example: "four-bar", values: { crank: 0.25 } });
    expect(readLink("#<script>,crank=x,speed=,a b=1")).toEqual({ example: null, values: {} });
  });
});
