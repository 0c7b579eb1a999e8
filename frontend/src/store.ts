/** The rows that the card knows, and which of them it shows. Pure. */

import type { Outcome, Row } from "./types";

export const GROUPS = ["all", "changed", "blocked", "none", "waiting", "others"] as const;
export type Group = (typeof GROUPS)[number];

const GROUP_OF: Record<Outcome, Group> = {
  changed: "changed",
  already_so: "changed",
  running: "changed",
  // Told, and nothing reports back: a filter for what went wrong would drown in it.
  unverified: "changed",
  partial: "blocked",
  unreachable: "blocked",
  failed: "blocked",
  unknown: "blocked",
  refused: "blocked",
  granted: "waiting",
  waiting: "waiting",
};

export function groupOf(row: Row): Group {
  const group = row.outcome === null ? "others" : (GROUP_OF[row.outcome] ?? "blocked");
  // What came to no device left none as it was.
  return group === "blocked" && !row.targets.length ? "none" : group;
}

export interface Filter {
  group: Group;
  text: string;
  /** Epoch seconds; older rows are left out. */
  since?: number;
}

export class Store {
  #byId = new Map<string, Row>();
  #sorted: Row[] | undefined;
  #undoneBy = new Map<string, Row>();
  /** Where the next older page starts; null: there is none. */
  cursor: string | null = null;

  get size(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /**
   * Take the newest rows. Older ones stay if the two meet, so that a reconnection does not
   * throw the reader back; with a gap between them they would pretend to be complete.
   */
  restart(rows: Row[], cursor: string | null): void {
    if (!rows.some((row) => this.#byId.has(row.id))) {
      this.#byId.clear();
      this.#undoneBy.clear();
      this.cursor = cursor;
    }
    this.put(rows);
  }

  /** Take live rows: they are newer than whatever is there. */
  put(rows: Row[]): void {
    for (const row of rows) {
      this.#byId.set(row.id, row);
      this.#note(row);
    }
    this.#sorted = undefined;
  }

  /** Drop rows: what they waited for is told in another. */
  remove(ids: string[]): void {
    for (const id of ids) this.#byId.delete(id);
    this.#sorted = undefined;
  }

  /** Take older rows. They may have been read before a live one that overtook them. */
  append(rows: Row[], cursor: string | null): void {
    this.put(rows.filter((row) => !this.#byId.has(row.id)));
    this.cursor = cursor;
  }

  /** Forget everything: the filter that the server applies has changed. */
  clear(): void {
    this.#byId.clear();
    this.#undoneBy.clear();
    this.#sorted = undefined;
    this.cursor = null;
  }

  /** Newest first. */
  rows(filter: Filter, except?: ReadonlySet<string>): Row[] {
    this.#sorted ??= [...this.#byId.values()].sort((a, b) => b.at - a.at || compare(b.id, a.id));
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#sorted.filter(
      (row) =>
        (filter.group === "all" || groupOf(row) === filter.group) &&
        !(filter.since !== undefined && row.at < filter.since) &&
        !except?.has(row.id) &&
        contains(row, words),
    );
  }

  /** How many rows each group has under a filter, whatever group that names. */
  counts(filter: Filter): Record<Group, number> {
    const counts = { all: 0, changed: 0, blocked: 0, none: 0, waiting: 0, others: 0 };
    for (const row of this.rows({ ...filter, group: "all" })) {
      counts.all += 1;
      counts[groupOf(row)] += 1;
    }
    return counts;
  }

  /** The change by others that undid a row, if one did. */
  undone(row: Row): Row | undefined {
    return this.#undoneBy.get(row.event);
  }

  #note(row: Row): void {
    for (const event of row.undid) {
      const known = this.#undoneBy.get(event);
      // The first one undid it; later ones found it undone.
      if (!known || row.at < known.at) this.#undoneBy.set(event, row);
    }
  }
}

/** Split rows, newest first, into days by the name that a day is given. */
export function byDay(rows: Row[], name: (at: number) => string): [string, Row[]][] {
  const days: [string, Row[]][] = [];
  for (const row of rows) {
    const day = name(row.at);
    const last = days.at(-1);
    if (last?.[0] === day) last[1].push(row);
    else days.push([day, [row]]);
  }
  return days;
}

function contains(row: Row, words: string[]): boolean {
  if (!words.length) return true;
  const text = [
    ...row.targets.flatMap((target) => [target.name, target.entity_id ?? ""]),
    row.asked,
    row.by,
    row.agent,
    row.wanted,
    row.why,
    row.detail,
    row.event,
  ]
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
