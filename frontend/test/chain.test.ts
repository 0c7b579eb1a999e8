import { describe, expect, test } from "vitest";
import { dwell, split, topology } from "../src/chain";
import { BED, LAMP, chain, node, row } from "./rows";

const ids = (nodes: { id: string }[]) => nodes.map((one) => one.id);

describe("the path to a row", () => {
  test("is flat, in order, and leaves the other device's steps out", () => {
    const { path, rest } = split(chain(), row({ event: "deny2", targets: [LAMP] }));
    expect(ids(path)).toEqual(["intent", "task2", "prop2", "clash2", "deny2"]);
    expect(ids(rest)).toEqual(["task1", "prop1", "grant1", "exec1", "done1", "end"]);
  });

  test("shows an earlier attempt on the same device", () => {
    const nodes = [
      ...chain(),
      node("task3", { type: "task", cause: "intent", task: "task3", targets: [LAMP] }),
      node("done3", { type: "receipt", cause: "task3", task: "task3", targets: [LAMP] }),
    ];
    const { path } = split(nodes, row({ event: "done3", targets: [LAMP] }));
    expect(ids(path)).toEqual([
      ...["intent", "task2", "prop2", "clash2", "deny2"],
      ...["task3", "done3"],
    ]);
  });

  test("bears a cause that is not there, and one that leads in a circle", () => {
    const nodes = [node("a", { cause: "b" }), node("b", { cause: "a" }), node("c", { cause: "?" })];
    expect(ids(split(nodes, row({ event: "a", targets: [] })).path)).toEqual(["a", "b"]);
    expect(ids(split(nodes, row({ event: "c", targets: [] })).path)).toEqual(["c"]);
    expect(split(nodes, row({ event: "gone", targets: [] })).path).toEqual([]);
  });
});

describe("who spoke with whom", () => {
  const map = topology(chain());

  test("columns: person, root, managers, devices", () => {
    expect(map.places.map(({ label, x }) => [label, x])).toEqual([
      ["Anna", 0],
      ["Rupert", 100],
      ["Jeeves", 200],
      ["Bed light", 300],
    ]);
  });

  test("each message goes somewhere, each pair is drawn once", () => {
    const moves = map.moves.map((move) => move && `${move.from}>${move.to}`);
    expect(moves).toEqual([
      "person:>rupert",
      ...["rupert>jeeves", "rupert>jeeves", "jeeves>rupert", "jeeves>rupert"],
      ...["rupert>jeeves", "rupert>jeeves", "rupert>jeeves"],
      ...["jeeves>device:light.bed", "device:light.bed>jeeves"],
      "rupert>person:",
    ]);
    expect(map.links).toHaveLength(3);
  });

  test("many devices are drawn as one after the fifth", () => {
    const nodes = Array.from({ length: 9 }, (_, i) =>
      node(`${i}`, {
        type: "execute",
        from: "jeeves",
        targets: [{ entity_id: `light.l${i}`, name: `L${i}` }],
      }),
    );
    const { places, height } = topology(nodes);
    expect(places.filter((one) => one.kind === "device")).toHaveLength(6);
    expect(height).toBe(6);
  });

  test("a message to oneself goes nowhere", () => {
    expect(topology([node("a", { type: "resolution", task: "t" })]).moves).toEqual([undefined]);
  });
});

test("a replay keeps the proportions, within reason", () => {
  const nodes = [0, 0.01, 1, 100].map((at, i) => node(`${i}`, { at, targets: [BED] }));
  expect([0, 1, 2, 3].map((i) => dwell(nodes, i, 1))).toEqual([0.5, 0.99, 2, 0.5]);
  expect(dwell(nodes, 2, 4)).toBe(0.5);
});
