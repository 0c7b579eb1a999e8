import { beforeEach, expect, test, vi } from "vitest";
import { History } from "../src/history";
import type { Page } from "../src/types";
import { row } from "./rows";

const ALL = { group: "all", text: "" } as const;
const NONE = new Set<string>();
let calls: object[];
let pages: (Page | Error)[];
let history: History;

beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  pages = [];
  history = new History(
    async (message) => {
      calls.push(message);
      const page = pages.shift() ?? { rows: [], cursor: null };
      if (page instanceof Error) throw page;
      return page;
    },
    () => undefined,
  );
  history.scope({ language: "en" }, 50);
  history.store.restart([row({ id: "new", at: 9 })], "nine");
});

test("older pages follow from the cursor until there is none", async () => {
  pages = [{ rows: [row({ id: "old", at: 1 })], cursor: null }];
  expect(history.older).toBe("more");
  const loading = history.load();
  expect(history.older).toBe("loading");
  await loading;
  expect(calls).toEqual([
    { type: "hearthnet/timeline/page", language: "en", limit: 50, cursor: "nine" },
  ]);
  expect(history.rows(ALL, NONE).map((one) => one.id)).toEqual(["new", "old"]);
  expect(history.older).toBeUndefined();
});

test("a page that cannot be read can be tried again", async () => {
  pages = [new Error("gone"), { rows: [], cursor: null }];
  await history.load();
  expect(history.older).toBe("failed");
  await history.load();
  expect(history.older).toBeUndefined();
});

test("a search asks the server once the typing pauses, and finds what no row shows", async () => {
  pages = [{ rows: [row({ id: "deep", at: 1 })], cursor: "one" }];
  for (const text of ["s", "so", "sofa"]) history.search(text);
  await vi.advanceTimersByTimeAsync(299);
  expect(calls).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(calls).toEqual([
    { type: "hearthnet/timeline/page", language: "en", limit: 50, text: "sofa" },
  ]);
  const found = history.rows({ group: "all", text: "sofa" }, NONE);
  expect(found.map((one) => one.id)).toEqual(["deep"]);
  expect(history.older).toBe("more");
});

test("what a search found is gone with it, so that the list has no holes", async () => {
  pages = [{ rows: [row({ id: "deep", at: 1 })], cursor: null }];
  history.search("sofa");
  await vi.advanceTimersByTimeAsync(300);
  history.search("");
  expect(history.rows(ALL, NONE).map((one) => one.id)).toEqual(["new"]);
  expect(history.older).toBe("more");
});

test("an answer to an earlier search is dropped", async () => {
  pages = [{ rows: [row({ id: "deep", at: 1 })], cursor: null }];
  history.search("sofa");
  vi.advanceTimersByTime(300);
  history.search("lamp");
  await Promise.resolve();
  expect(history.rows({ group: "all", text: "lamp" }, NONE)).toEqual([]);
});

test("another scope forgets what was read for the last", () => {
  expect(history.scope({ language: "en" }, 50)).toBe(false);
  expect(history.scope({ language: "de" }, 50)).toBe(true);
  expect(history.store.size).toBe(0);
});
