/** Rows and messages for tests. */

import type { ChainNode, Row } from "../src/types";

export function row(part: Partial<Row> = {}): Row {
  return {
    id: "hub.1.3",
    event: "hub.1.9",
    intent: "hub.1.2",
    at: 1000,
    outcome: "changed",
    cause: null,
    reason: null,
    why: "",
    detail: "",
    rule: null,
    targets: [{ entity_id: "light.bed", name: "Bed light" }],
    wanted: "on",
    seen: "on",
    asked: "movie night",
    again: true,
    by: "Anna",
    origin: "app",
    agent: "jeeves",
    until: null,
    hold: null,
    undid: [],
    commit: null,
    ...part,
  };
}

export function node(id: string, part: Partial<ChainNode> = {}): ChainNode {
  return {
    id,
    cause: null,
    task: null,
    type: "intent",
    at: 1000,
    from: "rupert",
    to: "rupert",
    status: "ok",
    text: id,
    targets: [],
    evidence: [],
    until: null,
    commit: null,
    ...part,
  };
}

export const BED = { entity_id: "light.bed", name: "Bed light" };
export const LAMP = { entity_id: "light.lamp", name: "Lamp" };

/** One request for two lamps: the one is switched, the other's is denied over a hold. */
export function chain(): ChainNode[] {
  const toJeeves = { from: "rupert", to: "jeeves" };
  const toRupert = { from: "jeeves", to: "rupert" };
  return [
    node("intent", { type: "intent", from: "Anna" }),
    node("task1", { type: "task", cause: "intent", task: "task1", targets: [BED], ...toJeeves }),
    node("task2", { type: "task", cause: "intent", task: "task2", targets: [LAMP], ...toJeeves }),
    node("prop1", {
      type: "proposal",
      cause: "task1",
      task: "task1",
      targets: [BED],
      ...toRupert,
    }),
    node("prop2", {
      type: "proposal",
      cause: "task2",
      task: "task2",
      targets: [LAMP],
      ...toRupert,
    }),
    node("grant1", { type: "grant", cause: "prop1", task: "task1", targets: [BED], ...toJeeves }),
    node("clash2", { type: "conflict", cause: "prop2", task: "task2", ...toJeeves, status: "no" }),
    node("deny2", {
      type: "denial",
      cause: "prop2",
      task: "task2",
      targets: [LAMP],
      status: "no",
      ...toJeeves,
    }),
    node("exec1", {
      type: "execute",
      cause: "grant1",
      task: "task1",
      targets: [BED],
      at: 1001,
      ...toRupert,
    }),
    node("done1", {
      type: "receipt",
      cause: "exec1",
      task: "task1",
      targets: [BED],
      at: 1010,
      ...toRupert,
    }),
    node("end", { type: "resolution", cause: "intent" }),
  ];
}
