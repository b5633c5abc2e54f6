import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { write } from "../src/transport/messages";
import { decode, encode, split } from "../src/transport/packet";
import { inflate, PartsTransport } from "../src/transport/parts";
import { readDrawings, readFilm, readFrame, readGrains, readRuts, readScene } from "../src/transport/read";
import { filmPacket, grainsPacket, rutsPacket, scenePacket } from "./fixture";

describe("packets", () => {
  it("come back as they were, with every type of number", () => {
    const arrays = {
      a: { data: Uint8Array.from([1, 2, 3]), shape: [3] }, b: { data: Int16Array.from([-7, 8]), shape: [2] },
      c: { data: Uint16Array.from([65535]), shape: [1] }, d: { data: Uint32Array.from([4e9]), shape: [1] },
      e: { data: Float32Array.from([0.5, -2]), shape: [2, 1] }, f: { data: Float64Array.from([Math.PI]), shape: [1] },
    };
    const packet = decode(encode({ type: "test", word: "é" }, arrays));
    expect(packet.type).toBe("test");
    expect(packet.head.word).toBe("é");
    for (const [name, { data, shape }] of Object.entries(arrays)) {
      expect([...packet.array(name)!.data]).toEqual([...data]);
      expect(packet.array(name)!.shape).toEqual(shape);
    }
  });

  it("are read from the middle of other bytes, where numbers are not aligned", () => {
    const inside = encode({ type: "x" }, { f: { data: Float64Array.from([1, 2, 3]), shape: [3] } });
    const bytes = new Uint8Array(inside.length + 3);
    bytes.set(inside, 3);
    expect([...decode(bytes.subarray(3)).array("f")!.data]).toEqual([1, 2, 3]);
  });

  it("that are damaged are refused", () => {
    const good = encode({ type: "x" }, { f: { data: Float64Array.from([1, 2, 3]), shape: [3] } });
    expect(() => decode(good.slice(0, good.length - 8))).toThrow("cut short");
    expect(() => decode(new Uint8Array(40))).toThrow("not a packet");
    const newer = good.slice();
    newer[4] = 2;
    expect(() => decode(newer)).toThrow("version 2");
  });

  it("follow each other in a part, which may be compressed", async () => {
    const packets = [scenePacket(), grainsPacket(3, 10)];
    const bytes = Buffer.concat(packets.flatMap((packet) => [Buffer.from(Uint32Array.of(packet.length).buffer), packet]));
    const found = [...split(await inflate(new Uint8Array(gzipSync(bytes))))];
    expect(found.map(({ type }) => type)).toEqual(["scene", "grains"]);
  });
});

describe("what packets hold", () => {
  it("a scene: links from the origin, poses, sliders", () => {
    const scene = readScene(decode(scenePacket()));
    expect(scene.bodies.map(({ name }) => name)).toEqual(["ground", "crank", "coupler", "rocker"]);
    expect(scene.bodies[1].sticks).toEqual([[[0, 0, 0], [0.2, 0, 0]]]);
    expect(scene.poses!.length).toBe(28);
    expect(scene.terrain).toBeNull();
    expect(scene.inputs[0].high).toBe(3.14);
  });

  it("a film, grains, ruts, a live frame", () => {
    const film = readFilm(decode(filmPacket(11)));
    expect([film.times.length, film.bodies, film.poses.length]).toEqual([11, 4, 11 * 28]);
    const grains = readGrains(decode(grainsPacket(2, 5)));
    expect([grains.frame, grains.drawn, grains.radius, grains.value![0]]).toEqual([2, 5, 0.01, 128]);
    expect([...readRuts(decode(rutsPacket())).cells]).toEqual([0, 5, 37]);
    const frame = readFrame(decode(encode({ type: "frame", number: 9, time: 1.5, poses: "poses", values: { a: 1 }, state: { paused: true } }, { poses: { data: new Float32Array(7), shape: [1, 7] } })));
    expect([frame.number, frame.time, frame.poses!.length, frame.values.a, frame.state!.paused]).toEqual([9, 1.5, 7, 1, true]);
  });

  it("drawings by name, and what was removed", () => {
    const { drawings, removed } = readDrawings(decode(encode({ type: "drawings", drawings: [{ type: "line", name: "way", points: "p", closed: true }], removed: ["old"] }, { p: { data: Float32Array.from([0, 0, 0, 1, 0, 0]), shape: [2, 3] } })));
    expect([drawings[0].type, drawings[0].name, drawings[0].points.length, drawings[0].closed]).toEqual(["line", "way", 6, true]);
    expect(removed).toEqual(["old"]);
  });
});

describe("a transport of parts", () => {
  it("tells the scene first, and finds series by name; asks Python for what is not there", async () => {
    const sent: unknown[] = [];
    let receive: (bytes: ArrayBufferView) => void = () => {};
    const transport = new PartsTransport({ send: (message) => sent.push(message), listen: (callback) => (receive = callback) });
    transport.add("scene", () => Promise.resolve([decode(scenePacket())]));
    const heard: string[] = [];
    transport.start({ packet: (packet) => heard.push(packet.type), link: () => {} });
    const asked = transport.series("A.q");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(heard).toEqual(["scene"]);
    expect(sent).toEqual([{ ask: "series", name: "A.q" }]);
    receive(encode({ type: "series", name: "A.q" }));
    expect((await asked)!.head.name).toBe("A.q");
  });

  it("without Python answers null", async () => {
    expect(await new PartsTransport().grains(0, 10)).toBeNull();
  });
});

it("messages are bounded", () => {
  expect(write({ shown: 3 })).toBe('{"shown":3}');
  expect(() => write({ ask: "series", name: "x".repeat(70_000) })).toThrow("64 kB");
});
