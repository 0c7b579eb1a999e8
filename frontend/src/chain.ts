/** A chain of messages: the path to one outcome, and the agents it went through. Pure. */

import type { ChainNode, Row } from "./types";

export interface Split {
  /** What led to the row, in order. */
  path: ChainNode[];
  /** What else came of the same request. */
  rest: ChainNode[];
}

/** Divide a chain into what led to a row, earlier attempts included, and all the rest. */
export function split(nodes: ChainNode[], row: Row): Split {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const kept = new Set<string>();
  for (let node = byId.get(row.event); node && !kept.has(node.id);) {
    kept.add(node.id);
    node = byId.get(node.cause ?? "");
  }
  const subjects = new Set(row.targets.map(keyOf));
  const tasks = new Set(
    nodes
      .filter((node) => kept.has(node.id) || node.targets.some((t) => subjects.has(keyOf(t))))
      .map((node) => node.task),
  );
  tasks.delete(null);
  const mine = (node: ChainNode) => kept.has(node.id) || tasks.has(node.task);
  return { path: nodes.filter(mine), rest: nodes.filter((node) => !mine(node)) };
}

function keyOf(target: { entity_id: string | null; name: string }): string {
  return target.entity_id ?? target.name;
}

/** Someone or something that messages go between. */
export interface Place {
  id: string;
  label: string;
  kind: "person" | "agent" | "device";
  /** In units of the drawing: columns of 100, lines of 1. */
  x: number;
  y: number;
}

export interface Move {
  from: string;
  to: string;
}

export interface Topology {
  places: Place[];
  /** Each pair once. */
  links: Move[];
  /** For each message where it went, undefined where it went nowhere. */
  moves: (Move | undefined)[];
  height: number;
}

const ROOT = "rupert";
const PERSON = "person:";
const MOST_DEVICES = 5;
const MORE = "device:";

/** Lay out who took part: the person, the root, the managers, the devices. */
export function topology(nodes: ChainNode[]): Topology {
  const places = new Map<string, Place>();
  const columns = [0, 0, 0, 0];
  const place = (id: string, label: string, kind: Place["kind"], column: number): string => {
    if (!places.has(id)) {
      const y = columns[column] ?? 0;
      places.set(id, { id, label, kind, x: column * 100, y });
      columns[column] = y + 1;
    }
    return id;
  };
  const agent = (name: string): string =>
    place(name, capital(name), "agent", name === ROOT ? 1 : 2);
  const devices = new Set<string>();
  const device = (key: string, name: string): string => {
    if (devices.has(key) || devices.size < MOST_DEVICES) {
      devices.add(key);
      return place(MORE + key, name, "device", 3);
    }
    return place(MORE, "…", "device", 3);
  };
  const move = (node: ChainNode): Move | undefined => {
    const subject = node.targets[0];
    if (node.type === "intent")
      return { from: place(PERSON, node.from, "person", 0), to: agent(ROOT) };
    if (node.type === "execute" && subject)
      return { from: agent(node.from), to: device(keyOf(subject), subject.name) };
    if (node.type === "receipt" && subject)
      return { from: device(keyOf(subject), subject.name), to: agent(node.from) };
    if (node.type === "resolution" && node.task === null && places.has(PERSON))
      return { from: agent(ROOT), to: PERSON };
    return node.from === node.to ? undefined : { from: agent(node.from), to: agent(node.to) };
  };
  const moves = nodes.map(move);
  const links = new Map<string, Move>();
  for (const one of moves) {
    if (!one) continue;
    const key = [one.from, one.to].sort().join("\n");
    if (!links.has(key)) links.set(key, one);
  }
  const height = Math.max(1, ...columns);
  // Short columns stand in the middle of the longest.
  for (const one of places.values()) one.y += (height - (columns[one.x / 100] ?? 0)) / 2;
  return { places: [...places.values()], links: [...links.values()], moves, height };
}

export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const SHORTEST_STEP = 0.5;
const LONGEST_STEP = 2;

/** Seconds that a replay stays on a message: in proportion to what passed, within reason. */
export function dwell(nodes: ChainNode[], index: number, speed: number): number {
  const [here, next] = [nodes[index], nodes[index + 1]];
  const gap = here && next ? next.at - here.at : 0;
  return Math.min(LONGEST_STEP, Math.max(SHORTEST_STEP, gap)) / speed;
}
