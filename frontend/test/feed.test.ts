import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Feed } from "../src/feed";
import type { Connection } from "../src/hass";
import type { FeedMessage } from "../src/types";

type Callback = (message: FeedMessage) => void;

class FakeConnection {
  answers: (Error | { code: string; message: string } | undefined)[] = [];
  subscribed: object[] = [];
  ended = 0;
  callbacks: Callback[] = [];
  listeners: Record<string, (() => void)[]> = { ready: [], disconnected: [] };

  async subscribeMessage(callback: Callback, request: object, options: object): Promise<unknown> {
    expect(options).toEqual({ resubscribe: false });
    this.subscribed.push({ ...request });
    Object.assign(request, { id: this.subscribed.length });
    this.callbacks.push(callback);
    const answer = this.answers.shift();
    if (answer) throw answer;
    return async () => void (this.ended += 1);
  }
  addEventListener(type: string, listener: () => void): void {
    this.listeners[type]?.push(listener);
  }
  removeEventListener(type: string, listener: () => void): void {
    this.listeners[type] = (this.listeners[type] ?? []).filter((one) => one !== listener);
  }
  emit(type: string): void {
    this.listeners[type]?.forEach((listener) => listener());
  }
  send(message: object): void {
    this.callbacks.at(-1)?.(message as FeedMessage);
  }
}

const STARTING = { code: "unknown_command", message: "Unknown command." };
const SNAPSHOT = { type: "snapshot", rows: [], cursor: null };
let fake: FakeConnection;
let got: string[];
let feed: Feed;

const open = (request: object = { type: "subscribe" }) =>
  feed.open(fake as unknown as Connection, request);
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  fake = new FakeConnection();
  got = [];
  feed = new Feed({ message: ({ type }) => got.push(type), phase: () => got.push(feed.phase) });
});
afterEach(() => vi.useRealTimers());

describe("a subscription", () => {
  test("is live with the snapshot", async () => {
    open();
    fake.send(SNAPSHOT);
    expect(got).toEqual(["live", "snapshot"]);
  });

  test("is made once for the same request, anew for another", async () => {
    open();
    open();
    expect(fake.subscribed).toHaveLength(1);
    open({ type: "other" });
    await settle();
    expect(fake.subscribed).toHaveLength(2);
    expect(fake.ended).toBe(1);
  });

  test("ends with the card, listeners too", async () => {
    open();
    feed.close();
    await settle();
    expect(fake.ended).toBe(1);
    expect(fake.listeners).toEqual({ ready: [], disconnected: [] });
  });

  test("tells nothing of an older one that speaks late", () => {
    open();
    open({ type: "other" });
    fake.callbacks[0]?.(SNAPSHOT as unknown as FeedMessage);
    expect(got).toEqual([]);
  });
});

describe("trouble", () => {
  test("an integration that is not there yet is tried again, ever less often", async () => {
    fake.answers = Array(7).fill(STARTING);
    open();
    await settle();
    expect(feed.phase).toBe("starting");
    const times: number[] = [];
    for (let second = 1; second <= 62; second += 1) {
      const before = fake.subscribed.length;
      await vi.advanceTimersByTimeAsync(1000);
      if (fake.subscribed.length > before) times.push(second);
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 61]);
    await vi.advanceTimersByTimeAsync(30_000);
    fake.send(SNAPSHOT);
    expect(feed.phase).toBe("live");
  });

  test("any other error is told, and tried again", async () => {
    fake.answers = [{ code: "unknown_error", message: "It broke." }];
    open();
    await settle();
    expect([feed.phase, feed.error]).toEqual(["error", "It broke."]);
    await vi.advanceTimersByTimeAsync(1000);
    fake.send(SNAPSHOT);
    expect(feed.phase).toBe("live");
  });

  test("a lost connection is offline until it is ready again", async () => {
    open();
    fake.send(SNAPSHOT);
    fake.emit("disconnected");
    expect(feed.phase).toBe("offline");
    fake.emit("ready");
    await settle();
    expect(fake.subscribed).toHaveLength(2);
    // The lost connection took the subscription with it.
    expect(fake.ended).toBe(0);
  });

  test("a reload of the integration is waited for", async () => {
    open();
    fake.send(SNAPSHOT);
    fake.send({ type: "reset" });
    expect(feed.phase).toBe("starting");
    expect(got).not.toContain("reset");
    await vi.advanceTimersByTimeAsync(1000);
    expect(fake.subscribed).toHaveLength(2);
  });
});
