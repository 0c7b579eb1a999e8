import { beforeAll, describe, expect, test, vi } from "vitest";
import { mayAskAgain } from "../src/actions";
import type { Hass } from "../src/hass";
import { fill, loadTexts, textsFor } from "../src/texts";
import { table as de } from "../src/texts/de";
import { table as en } from "../src/texts/en";
import { table as zh } from "../src/texts/zh";
import { Words, span } from "../src/words";
import { row } from "./rows";

beforeAll(() => loadTexts("en"));

function words(language = "en", locale: object = {}): Words {
  const hass = {
    language,
    locale: { language, time_format: "24", time_zone: "server", ...locale },
    config: { time_zone: "Asia/Tokyo" },
    states: {
      "light.bed": { entity_id: "light.bed", attributes: { friendly_name: "Bedside" } },
    },
  };
  return new Words(() => hass as unknown as Hass);
}

/** 2026-11-30, 15:00 UTC: a minute past midnight in Tokyo is 15:01. */
const AT = Date.UTC(2026, 10, 30, 15, 1, 5) / 1000;

describe("times", () => {
  test("in the server's zone, if the user wants that", () => {
    expect(words().time(AT)).toBe("00:01:05");
    expect(words("de").time(AT)).toBe("00:01:05");
  });

  test("twelve hours", () => {
    expect(words("en", { time_format: "12" }).time(AT)).toMatch(/^12:01:05\sAM$/);
  });

  test("another day is named, today is not", () => {
    vi.useFakeTimers({ now: AT * 1000 });
    expect(words().moment(AT + 60)).toBe("00:02");
    expect(words().moment(AT - 120)).toMatch(/Nov 30.*23:59/);
    expect(words().day(AT)).toBe("Today · Tuesday, December 1");
    expect(words("de").day(AT - 120)).toBe("Montag, 30. November");
    vi.useRealTimers();
  });

  test("spans", () => {
    expect([0.2, 5, 65, 3600, 3725.5, -3].map(span)).toEqual([
      ...["0:01", "0:05", "1:05", "1:00:00", "1:02:06", "0:00"],
    ]);
  });
});

describe("sentences", () => {
  test("names are the present ones, else the recorded ones", () => {
    const w = words();
    expect(w.names(row().targets)).toBe("Bedside");
    expect(w.name({ entity_id: "light.gone", name: "Old lamp" })).toBe("Old lamp");
    expect(w.name({ entity_id: "light.gone", name: "" })).toBe("light.gone");
    expect([w.gone({ entity_id: "light.gone", name: "" }), w.gone(row().targets[0]!)]).toEqual([
      true,
      false,
    ]);
  });

  test("refused by us and overridden by others are told apart", () => {
    const w = words();
    const refused = row({ outcome: "refused", reason: "policy_denied", why: "the policy forbids" });
    const others = row({ outcome: null, cause: "automation", by: "Wind-down" });
    expect([w.label(refused), w.why(refused)]).toEqual(["Not allowed", "the policy forbids"]);
    expect([w.label(others), w.why(others)]).toEqual([
      "Not by HearthNet",
      "changed by the automation Wind-down",
    ]);
  });

  test("a hold in the way is told with who and until when", () => {
    const w = words();
    vi.useFakeTimers({ now: AT * 1000 });
    const lost = row({
      outcome: "refused",
      reason: "conflict",
      hold: { by: "Ben", since: AT, until: AT + 60 },
    });
    expect(w.label(lost)).toBe("An earlier request won");
    const late = row({ outcome: "refused", reason: "unanswered", why: "nobody answered in time" });
    expect([w.label(late), w.why(late)]).toEqual(["Nobody answered", ""]);
    expect(w.why(lost)).toBe("Ben asked at 00:01; that stands until 00:02");
    vi.useRealTimers();
  });

  test("a plan for later says until when it waits", () => {
    vi.useFakeTimers({ now: AT * 1000 });
    expect(words().label(row({ outcome: "waiting", until: AT + 60 }))).toBe("Waits until 00:02");
    vi.useRealTimers();
  });

  test("what came of it, or what was wanted", () => {
    const w = words();
    expect(w.what(row({ seen: "20 % bright" }))).toBe("→ 20 % bright");
    expect(w.what(row({ outcome: "refused" }))).toBe("left alone; wanted on");
    expect(w.what(row({ outcome: "refused", wanted: "" }))).toBe("");
    expect(w.what(row({ outcome: null, seen: "off", wanted: "" }))).toBe("→ off");
  });

  test("an undo is told as one, and is nothing to say again", () => {
    const undo = row({ asked: "undo hub.1.37" });
    expect(words().whose(undo)).toBe("Undo · Anna, app · Jeeves");
    expect([undo, row({})].map(mayAskAgain)).toEqual([false, true]);
  });

  test("codes of a newer version still read", () => {
    const w = words();
    expect(w.label(row({ outcome: "melted" as "failed" }))).toBe("melted");
    expect(w.label(row({ outcome: "refused", reason: "moon_phase" }))).toBe("Not done");
    expect(w.whose(row({ origin: "telepathy" }))).toBe("“movie night” · Anna, telepathy · Jeeves");
  });
});

describe("languages", () => {
  test("by tag, once loaded; English for any other", async () => {
    expect(textsFor("de")).toBe(en);
    for (const language of ["de-AT", "zh", "fr", ""]) await loadTexts(language);
    expect(["de-CH", "zh-Hans", "zh_TW", "fr", ""].map(textsFor)).toEqual([de, zh, zh, en, en]);
  });

  test("every text fills in the same as in English", () => {
    const holes = (value: unknown, path = ""): string[] =>
      typeof value === "string"
        ? [`${path}: ${[...(value.match(/\{\w+\}/g) ?? [])].sort()}`]
        : Object.entries(value as object).flatMap(([key, one]) => holes(one, `${path}.${key}`));
    expect(holes(de).sort()).toEqual(holes(en).sort());
    expect(holes(zh).sort()).toEqual(holes(en).sort());
  });

  test("what is not given stays", () => {
    expect(fill("{a} and {b}", { a: 1 })).toBe("1 and {b}");
  });
});
