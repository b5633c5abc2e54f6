import { describe, expect, it } from "vitest";
import { ghostOf, partOf, partsOf } from "../src/charts/series";
import { Clock } from "../src/playback/clock";
import { before, blend, Film, placed } from "../src/playback/film";
import { GrainReel, thinned } from "../src/playback/grainReel";
import { History } from "../src/playback/history";
import { Pace } from "../src/playback/pace";
import { decode } from "../src/transport/packet";
import { PartsTransport } from "../src/transport/parts";
import { readFilm, readGrains } from "../src/transport/read";
import { filmPacket, fourBar, grainsPacket } from "./fixture";

describe("a film", () => {
  const film = new Film(readFilm(decode(filmPacket(201))));
  const moment = { poses: new Float32Array(28), spin: new Float32Array() };

  it("shows its samples exactly, and between them what lies between", () => {
    film.sample(film.data.times[17], moment);
    fourBar(1 + 2 * Math.PI * film.data.times[17]).forEach((value, k) => expect(moment.poses[k]).toBeCloseTo(value, 5));
    const time = 0.5 * (film.data.times[17] + film.data.times[18]);
    film.sample(time, moment);
    // the chord of a step of 1.8 degrees on a radius of 0.2 m is 0.025 mm off the arc
    fourBar(1 + 2 * Math.PI * time).forEach((value, k) => expect(Math.abs(moment.poses[k] - value)).toBeLessThan(1e-4));
  });

  it("finds samples by time, and stays within its ends", () => {
    expect([before([0, 1, 2], -1), before([0, 1, 2], 1), before([0, 1, 2], 1.9), before([0, 1, 2], 9)]).toEqual([0, 1, 1, 2]);
    film.sample(99, moment);
    expect(moment.poses[7 + 3]).toBeCloseTo(film.data.poses[film.data.poses.length - 28 + 7 + 3], 6);
  });

  it("turns along the shorter arc", () => {
    const half = Math.SQRT1_2;
    const out = new Float32Array(7);
    blend([0, 0, 0, 1, 0, 0, 0], 0, [2, 0, 0, -half, 0, 0, -half], 0, 0.5, out, 0);
    expect(out[0]).toBe(1);
    expect(Math.abs(out[3])).toBeCloseTo(Math.cos(Math.PI / 8), 6);
  });

  it("gives the path of a point of a body", () => {
    const path = film.path(1, [0.2, 0, 0], 0, 1, 1000);
    for (let k = 0; k < path.length; k += 3) expect(Math.hypot(path[k], path[k + 1])).toBeCloseTo(0.2, 5);
    expect(placed([1, 2, 3, Math.SQRT1_2, 0, 0, Math.SQRT1_2], 0, [1, 0, 0]).map((x) => Math.round(1e6 * x) / 1e6)).toEqual([1, 3, 3]);
  });
});

describe("the clock", () => {
  it("plays at a speed, repeats, and stops at the end", () => {
    const clock = new Clock();
    clock.setRange(0, 2);
    clock.setSpeed(0.5);
    clock.play();
    clock.tick(1);
    expect(clock.time).toBe(0.5);
    clock.tick(4);
    expect(clock.time).toBeCloseTo(0.5, 9);
    clock.setLoop(false);
    clock.tick(100);
    expect([clock.time, clock.playing]).toEqual([2, false]);
    clock.setSpeed(99);
    expect(clock.speed).toBe(10);
  });

  it("steps from sample to sample, also from between two", () => {
    const clock = new Clock();
    clock.setRange(0, 3);
    clock.seek(1.5);
    clock.step([0, 1, 2, 3], 1);
    expect(clock.time).toBe(2);
    clock.step([0, 1, 2, 3], 1);
    expect(clock.time).toBe(3);
    clock.step([0, 1, 2, 3], -1);
    expect(clock.time).toBe(2);
    clock.step([0, 1, 2, 3], 1);
    clock.step([0, 1, 2, 3], 1);
    expect(clock.time).toBe(3);
  });
});

it("a history forgets what a reset run had, and what is too old", () => {
  const history = new History(1);
  const moment = (x: number) => ({ poses: Float32Array.from([x, 0, 0, 1, 0, 0, 0]), spin: new Float32Array() });
  for (let k = 0; k < 30_000; k++) history.push(k, moment(k));
  expect(history.count).toBeLessThanOrEqual(20_000);
  expect(history.last).toBe(29_999);
  const out = { poses: new Float32Array(7), spin: new Float32Array() };
  history.sample(29_990.5, out);
  expect(out.poses[0]).toBeCloseTo(29_990.5, 1);
  history.push(0.5, moment(7));
  expect([history.count, history.first]).toEqual([1, 0.5]);
});

it("the pace is the share of what a screen could show", () => {
  const pace = new Pace();
  expect(pace.share(100)).toBeNull();
  for (let k = 0; k <= 60; k++) pace.mark(k * 33.333);
  expect(pace.fps).toBeCloseTo(30, 1);
  expect(pace.share(500)).toBeCloseTo(0.5, 2);
  expect(pace.share(25)).toBe(1);
});

it("grains are asked for once, ahead of time, and the nearest ones stand in for those on their way", async () => {
  const transport = new PartsTransport();
  const asked: number[] = [];
  transport.grains = (frame) => {
    asked.push(frame);
    return Promise.resolve(frame === 9 ? null : decode(grainsPacket(frame, 4)));
  };
  const reel = new GrainReel(transport, Float64Array.from({ length: 10 }, (_, k) => k / 10), 100, () => {});
  expect(reel.at(0, true, 1).grains).toBeNull();
  await Promise.resolve().then(() => {}).then(() => {});
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(reel.at(0, true, 1)).toMatchObject({ exact: true, grains: { frame: 0 } });
  expect(reel.at(0.95, false, 1)).toMatchObject({ exact: false });
  for (let k = 0; k < 5; k++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    reel.at(0.95, false, 1);
  }
  expect(asked.filter((frame) => frame === 9).length).toBe(1);
});

it("too many grains are thinned evenly", () => {
  const grains = readGrains(decode(grainsPacket(0, 1000)));
  const few = thinned(grains, 100);
  expect([few.drawn, few.count, few.position.length, few.value!.length]).toEqual([100, 1000, 300, 100]);
  expect([...few.position.slice(3, 6)]).toEqual([...grains.position.slice(30, 33)]);
  expect(thinned(grains, 5000)).toBe(grains);
});

it("a film that grows is played to its end, and waits there for more", () => {
  const clock = new Clock();
  clock.setRange(0, 1);
  clock.growing = true;
  clock.play();
  clock.tick(5);
  expect([clock.time, clock.playing]).toEqual([1, true]);
  clock.setRange(0, 3);
  clock.tick(0.5);
  expect(clock.time).toBeCloseTo(1.5);
  clock.growing = false;
  clock.tick(2);
  expect(clock.time).toBeCloseTo(0.5); // from the start again
  clock.seek(Number.NaN);
  expect(clock.time).toBeCloseTo(0.5);
});

it("columns of a channel are charted by their units", () => {
  const columns = ["moment x", "moment y", "force x"];
  const series = { name: "A.reaction", unit: "N m, N", units: ["N m", "N m", "N"], columns, time: Float64Array.from([0, 1]), values: Float64Array.from([1, 2, 3, 4, 5, 6]) };
  const parts = partsOf(series);
  expect(parts).toEqual([{ unit: "N m", columns: [0, 1], label: "moment" }, { unit: "N", columns: [2], label: "force" }]);
  const moment = partOf(series, parts[0]);
  expect([moment.unit, moment.columns, [...moment.values]]).toEqual(["N m", ["moment x", "moment y"], [1, 2, 4, 5]]);
  expect(partsOf({ columns: ["wx", "wy", "vx"], units: ["rad/s", "rad/s", "m/s"] }).map(({ label }) => label)).toEqual(["wx wy", "vx"]);
  expect(partsOf({ unit: "m" })).toEqual([{ unit: "m", columns: [], label: "" }]);
  const whole = { ...series, units: [], unit: "N" };
  expect(partOf(whole, partsOf(whole)[0])).toBe(whole);
  const both = partOf({ ...series, ghost: { time: Float64Array.from([0]), values: Float64Array.from([7, 8, 9]) } }, parts[0]);
  expect([...ghostOf(both)!.values, ...ghostOf(both)!.time]).toEqual([7, 8, 0]);
  expect(ghostOf(moment)).toBeNull();
});
