import { Group, Object3D, Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { Cameras } from "../src/drive/cameras";
import { Orders } from "../src/drive/orders";
import { Pedals } from "../src/drive/pedals";
import { Camera } from "../src/scene/camera";
import type { Stage } from "../src/scene/stage";

describe("orders of the driver", () => {
  const told = (orders: Orders, pedals: Pedals, now: number) => orders.tell(pedals.wish(3, null), now);

  it("hold every press and release of a key, however short, and an old wish now and then", () => {
    const [orders, pedals] = [new Orders(), new Pedals()];
    const sent = [told(orders, pedals, 0)];
    for (let tap = 0; tap < 20; tap++) {
      // all between two pictures
      pedals.key("ArrowLeft", true);
      sent.push(told(orders, pedals, 1 + 0.1 * tap));
      pedals.key("ArrowLeft", false);
      sent.push(told(orders, pedals, 1.05 + 0.1 * tap));
    }
    expect(sent.every((order) => order !== null)).toBe(true);
    expect(sent.slice(1).map((order) => order!.drive.steering)).toEqual(Array.from({ length: 40 }, (_, k) => (k + 1) % 2));
    expect(told(orders, pedals, 10)).toBeNull();
    expect(told(orders, pedals, 300)?.drive.steering).toBe(0); // there is a driver still
  });

  it("wait a moment for their answer, and not for ever", () => {
    const [orders, pedals] = [new Orders(), new Pedals()];
    told(orders, pedals, 0);
    expect(orders.waiting(0)).toBe(false);
    pedals.key("ArrowLeft", true);
    told(orders, pedals, 10);
    expect(orders.waiting(12)).toBe(true);
    orders.answered(0); // a frame from before
    expect(orders.waiting(13)).toBe(true);
    orders.answered(10);
    expect(orders.waiting(14)).toBe(false);
    pedals.key("ArrowLeft", false);
    told(orders, pedals, 20);
    expect(orders.waiting(45)).toBe(true);
    expect(orders.waiting(62)).toBe(false);
  });

  it("of fingers and sticks delay no picture", () => {
    const [orders, pedals] = [new Orders(), new Pedals()];
    told(orders, pedals, 0);
    pedals.finger("steering", 0.3);
    expect(told(orders, pedals, 5)).not.toBeNull();
    expect(orders.waiting(6)).toBe(false);
  });
});

describe("the cockpit", () => {
  const stage = () => ({ camera: new Camera(), size: [1280, 720], invalidate: () => {} }) as unknown as Stage;
  const data = { eye: [0.5, 0.4, 1.5] as [number, number, number], screen: null };

  it("is where the driver's eye is, looks along the vehicle, and rolls and pitches with it", () => {
    const [chassis, window] = [new Group(), new Object3D()];
    const on = stage();
    const cameras = new Cameras(on, chassis, data, [window]);
    cameras.set("cockpit");
    expect([window.visible, cameras.cab.root.visible]).toEqual([false, true]);
    const tilt = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 0.3).multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), -0.2));
    chassis.quaternion.setFromAxisAngle(new Vector3(0, 0, 1), 1.1).multiply(tilt);
    chassis.position.set(7, -3, 0.9);
    chassis.updateMatrixWorld();
    on.camera.update(0.1);
    cameras.place();
    const { eye } = on.camera;
    expect(eye.position.distanceTo(chassis.localToWorld(new Vector3(...data.eye)))).toBeLessThan(1e-9);
    const own = (v: Vector3) => v.applyQuaternion(chassis.quaternion.clone().invert());
    const ahead = own(eye.getWorldDirection(new Vector3()));
    expect(ahead.x).toBeGreaterThan(0.99);
    expect(ahead.y).toBeCloseTo(0, 9);
    // the horizon leans as the vehicle does
    const right = own(new Vector3(1, 0, 0).applyQuaternion(eye.quaternion));
    expect(right.y).toBeCloseTo(-1, 9);
    cameras.set("chase");
    on.camera.update(0.1);
    cameras.place();
    expect([window.visible, cameras.cab.root.visible]).toEqual([true, false]);
    expect(eye.position.distanceTo(chassis.position)).toBeGreaterThan(8);
    expect(new Vector3(1, 0, 0).applyQuaternion(eye.quaternion).z).toBeCloseTo(0, 9); // level
  });

  it("lets the driver turn the head, within limits", () => {
    const [chassis, on] = [new Group(), stage()];
    const cameras = new Cameras(on, chassis, data, []);
    cameras.set("cockpit");
    on.camera.orbit(-100, 0);
    on.camera.update(0);
    cameras.place();
    const ahead = on.camera.eye.getWorldDirection(new Vector3());
    expect(Math.atan2(ahead.y, ahead.x)).toBeCloseTo(0.6, 6);
    on.camera.orbit(-9000, 0);
    on.camera.update(0);
    cameras.place();
    expect(on.camera.azimuth - Math.PI).toBeLessThan(2.7);
  });
});
