import { expect, test } from "vitest";
import { checkConfig, mayMove, onlyEntity, scopeOf } from "../src/config";

const type = "custom:hearthnet-timeline-card";

test.each([
  [{ limit: 0 }, "limit"],
  [{ limit: 500 }, "limit"],
  [{ hours: NaN }, "hours"],
  [{ show: "blue" }, "show"],
  [{ entities: "light.a" }, "entities"],
])("%o is refused by its name", (part, name) => {
  expect(() => checkConfig({ type, ...part } as never)).toThrow(name);
});

test("an entity that is missing now is no mistake", () => {
  checkConfig({ type, entity: "light.gone", limit: 50, hours: 24, show: "blocked" });
});

test("what the server filters by", () => {
  expect(scopeOf({ type })).toEqual({});
  expect(scopeOf({ type, entity: "light.a", entities: ["light.b"], area: "bed" })).toEqual({
    entity_ids: ["light.b", "light.a"],
    area_ids: ["bed"],
  });
});

test("the card is about one entity", () => {
  expect(onlyEntity({ type, entity: "light.a" })).toBe("light.a");
  expect(onlyEntity({ type, entities: ["light.a"] })).toBe("light.a");
  expect(onlyEntity({ type, entity: "light.a", area: ["bed"] })).toBeUndefined();
  expect(onlyEntity({ type })).toBeUndefined();
});

test("suggestions are for what HearthNet can move", () => {
  expect(["light.a", "sensor.b", "lock.c"].map(mayMove)).toEqual([true, false, true]);
});
