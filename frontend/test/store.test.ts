import { describe, expect, test } from "vitest";
import { Store, byDay } from "../src/store";
import { row } from "./rows";

const ALL = { group: "all", text: "" } as const;
const ids = (store: Store, filter: Parameters<Store["rows"]>[0] = ALL) =>
  store.rows(filter).map((one) => one.id);

function filled(...rows: Parameters<typeof row>[0][]): Store {
  const store = new Store();
  store.restart(
    rows.map((one) => row(one)),
    null,
  );
  return store;
}

describe("what is known", () => {
  test("newest first, whatever the order of arrival", () => {
    const store = filled({ id: "a", at: 1 }, { id: "b", at: 3 });
    store.put([row({ id: "c", at: 2 })]);
    expect(ids(store)).toEqual(["b", "c", "a"]);
  });

  test("a live row replaces the one it grew from", () => {
    const store = filled({ id: "a", outcome: "waiting" });
    store.put([row({ id: "a", outcome: "changed" })]);
    expect(store.rows(ALL).map((one) => one.outcome)).toEqual(["changed"]);
  });

  test("a page never replaces a row that a live one has overtaken", () => {
    const store = filled({ id: "a", outcome: "changed" });
    store.append([row({ id: "a", outcome: "waiting" }), row({ id: "b", at: 1 })], "older");
    expect(store.rows(ALL).map((one) => one.outcome)).toEqual(["changed", "changed"]);
    expect(store.cursor).toBe("older");
  });

  test("what a row waited for may be told in another", () => {
    const store = filled({ id: "a", outcome: "waiting" }, { id: "b", at: 1 });
    store.remove(["a", "never there"]);
    expect(ids(store)).toEqual(["b"]);
  });

  test("after a reconnection older rows stay if the two meet", () => {
    const store = filled({ id: "a", at: 1 });
    store.append([row({ id: "old", at: 0 })], "older");
    store.restart([row({ id: "b", at: 2 }), row({ id: "a", at: 1 })], "newer");
    expect(ids(store)).toEqual(["b", "a", "old"]);
    expect(store.cursor).toBe("older");
  });

  test("with a gap between them the old ones go", () => {
    const store = filled({ id: "a", at: 1 });
    store.restart([row({ id: "z", at: 9 })], "cursor");
    expect(ids(store)).toEqual(["z"]);
    expect(store.cursor).toBe("cursor");
  });

  test("a change by others names the row that it undid, the first one counts", () => {
    const store = filled(
      { id: "a", event: "receipt", at: 1 },
      { id: "c", outcome: null, undid: ["receipt"], at: 3 },
      { id: "b", outcome: null, undid: ["receipt"], at: 2 },
    );
    const undone = store.rows(ALL).map((one) => store.undone(one)?.id);
    expect(undone).toEqual([undefined, undefined, "b"]);
  });
});

describe("what is shown", () => {
  const store = filled(
    { id: "a", at: 5 },
    { id: "b", at: 4, outcome: "refused", reason: "policy_denied", why: "quiet hours" },
    { id: "c", at: 3, outcome: "waiting" },
    { id: "d", at: 2, outcome: null, cause: "device", by: "Ben", asked: "" },
    { id: "e", at: 1, outcome: "unverified" },
    { id: "f", at: 0, outcome: "refused", reason: "not_understood", targets: [] },
  );

  test.each([
    ["all", "abcdef"],
    ["changed", "ae"],
    ["blocked", "b"],
    ["none", "f"],
    ["waiting", "c"],
    ["others", "d"],
  ] as const)("group %s", (group, expected) => {
    expect(ids(store, { group, text: "" }).join("")).toBe(expected);
  });

  test("counts are those of the other filters, not of the chosen group", () => {
    expect(store.counts({ group: "waiting", text: "" })).toEqual({
      all: 6,
      changed: 2,
      blocked: 1,
      none: 1,
      waiting: 1,
      others: 1,
    });
    expect(store.counts({ group: "all", text: "quiet" }).all).toBe(1);
  });

  test("every word must be somewhere on the row", () => {
    expect(ids(store, { group: "all", text: " QUIET anna " })).toEqual(["b"]);
    expect(ids(store, { group: "all", text: "quiet ben" })).toEqual([]);
    expect(ids(store, { group: "all", text: "light.bed" })).toHaveLength(5);
  });

  test("hours back, and rows that are kept back", () => {
    expect(ids(store, { ...ALL, since: 3 })).toEqual(["a", "b", "c"]);
    expect(store.rows(ALL, new Set(["a", "b"])).map((one) => one.id)).toEqual(["c", "d", "e", "f"]);
  });

  test("an outcome of a newer version counts as not changed", () => {
    const newer = filled({ id: "x", outcome: "melted" as "failed" });
    expect(newer.counts(ALL).blocked).toBe(1);
  });
});

test("days", () => {
  const rows = [row({ id: "a", at: 25 }), row({ id: "b", at: 24 }), row({ id: "c", at: 1 })];
  const days = byDay(rows, (at) => (at < 24 ? "first" : "second"));
  expect(days.map(([day, those]) => [day, those.map((one) => one.id)])).toEqual([
    ["second", ["a", "b"]],
    ["first", ["c"]],
  ]);
});
