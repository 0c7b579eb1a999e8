/** What the card says, as this reader wants it: language, clock, time zone, names of entities. */

import { capital } from "./chain";
import type { Hass, Locale } from "./hass";
import { fill, textsFor, type Texts } from "./texts";
import type { Row, Target } from "./types";

export class Words {
  readonly t: Texts;
  #language: string;
  #locale: Locale;
  #hass: () => Hass;
  #clock: Intl.DateTimeFormat;
  #minutes: Intl.DateTimeFormat;
  #minutesAndDay: Intl.DateTimeFormat;
  #dayName: Intl.DateTimeFormat;
  #today = "";
  #todayUntil = 0;

  constructor(hass: () => Hass) {
    this.#hass = hass;
    const { language, locale, config } = hass();
    [this.#language, this.#locale] = [language, locale];
    this.t = textsFor(language);
    const hour: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
    if (locale.time_format === "12") hour.hourCycle = "h12";
    if (locale.time_format === "24") Object.assign(hour, { hourCycle: "h23", hour: "2-digit" });
    if (locale.time_zone === "server") hour.timeZone = config.time_zone;
    // “system” leaves the choice to the browser.
    const clockLanguage = locale.time_format === "system" ? undefined : language;
    this.#clock = new Intl.DateTimeFormat(clockLanguage, { ...hour, second: "2-digit" });
    this.#minutes = new Intl.DateTimeFormat(clockLanguage, hour);
    this.#minutesAndDay = new Intl.DateTimeFormat(clockLanguage, {
      ...hour,
      day: "numeric",
      month: "short",
    });
    this.#dayName = new Intl.DateTimeFormat(language, {
      weekday: "long",
      day: "numeric",
      month: "long",
      ...(hour.timeZone ? { timeZone: hour.timeZone } : {}),
    });
  }

  /** What stands between a word and what is said of it. */
  get colon(): string {
    return fill(this.t.named, { name: "", value: "" });
  }

  /** Tell whether these are still what the reader wants. */
  fit({ language, locale }: Hass): boolean {
    return language === this.#language && locale === this.#locale;
  }

  /** A time of day with its seconds. */
  time(at: number): string {
    return this.#clock.format(at * 1000);
  }

  /** A time of day without seconds, with the day unless it is today. */
  moment(at: number): string {
    const today = this.#dayName.format(at * 1000) === this.#dayName.format(Date.now());
    return (today ? this.#minutes : this.#minutesAndDay).format(at * 1000);
  }

  day(at: number): string {
    const day = this.#dayName.format(at * 1000);
    if (Date.now() >= this.#todayUntil) {
      this.#today = this.#dayName.format(Date.now());
      this.#todayUntil = Date.now() + 10_000;
    }
    return day === this.#today ? `${this.t.today} · ${day}` : day;
  }

  /** The present name of a target; the recorded one of a device without an entity. */
  name(target: Target): string {
    const state = target.entity_id ? this.#hass().states[target.entity_id] : undefined;
    const name = state?.attributes.friendly_name || target.name || target.entity_id || "?";
    return name.replace(TURNS, "");
  }

  names(targets: Target[]): string {
    return targets.map((target) => this.name(target)).join(", ");
  }

  /** Tell whether a target's entity is gone. */
  gone(target: Target): boolean {
    return target.entity_id !== null && !this.#hass().states[target.entity_id];
  }

  /** In a word or two what became of it. */
  label(row: Row): string {
    if (row.outcome === null) return this.t.others;
    if (row.until !== null) return fill(this.t.due, { time: this.moment(row.until) });
    const refusal = row.outcome === "refused" && this.t.refusals[row.reason ?? ""];
    return refusal || this.t.outcomes[row.outcome] || row.outcome;
  }

  /** How others changed it. */
  cause(row: Row): string {
    return fill(this.t.causes[row.cause ?? "unknown"], { who: row.by });
  }

  /** The reason in a sentence; empty when the label says it all. */
  why(row: Row): string {
    if (row.outcome === null) return this.cause(row);
    if (row.outcome === "waiting" || row.reason === "unanswered") return "";
    if (!row.hold) return row.why;
    return fill(this.t.held_by, {
      who: row.hold.by,
      since: this.moment(row.hold.since),
      until: this.moment(row.hold.until),
    });
  }

  /** What was wanted or came of it, after the device's name. */
  what(row: Row): string {
    const seen = row.seen || row.wanted;
    if (row.outcome === null || DONE.has(row.outcome)) return seen && `→ ${seen}`;
    return row.wanted && fill(this.t.wanted, { value: row.wanted });
  }

  /** Whose wish it was, and which way it came. */
  whose(row: Row): string {
    const origin = this.t.origins[row.origin] ?? row.origin;
    const asked = UNDO.test(row.asked)
      ? this.t.undo
      : row.asked && fill(this.t.in_quotes, { text: row.asked });
    const who = [row.outcome && row.by, origin].filter(Boolean).join(", ");
    return [asked, who, capital(row.agent)].filter(Boolean).join(" · ");
  }
}

/** What the action `hearthnet.undo` has recorded as the words of a request. */
export const UNDO = /^undo \S+\.\d+\.\d+$/;

/** Characters that reverse what is written after them; the server sends none. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

const DONE = new Set(["changed", "already_so", "running", "partial", "unverified"]);

/** A span as a clock shows it: 4:05, 1:04:05. */
export function span(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, i) => (i ? String(part).padStart(2, "0") : String(part))).join(":");
}
