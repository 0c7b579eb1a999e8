/** Rows for the card picker, where a home has none of its own yet. */

import type { Row } from "./types";

const HOUR = 3600;

export function exampleRows(now: number): Row[] {
  const row = (id: string, name: string, part: Partial<Row>): Row => ({
    id,
    event: id,
    intent: null,
    at: now - HOUR,
    outcome: "changed",
    cause: null,
    reason: null,
    why: "",
    detail: "",
    rule: null,
    targets: [{ entity_id: null, name }],
    wanted: "on, 20 %",
    seen: "off",
    asked: "movie night",
    again: false,
    by: "Anna",
    origin: "voice",
    agent: "Jeeves",
    until: null,
    hold: null,
    undid: [],
    commit: null,
    ...part,
  });
  const hold = { by: "Ben", since: now - 2 * HOUR, until: now + HOUR };
  return [
    row("2", "Ceiling lights", {}),
    row("1", "Bed light", { outcome: "refused", reason: "conflict", hold }),
  ];
}
