/** What the integration sends. Its other half is `websocket_api.py`; the names of outcomes and
 * message types are the core's, which `tests/integration/test_card_names.py` compares. */

export const OUTCOMES = [
  "changed",
  "already_so",
  "running",
  "partial",
  "unreachable",
  "failed",
  "unverified",
  "unknown",
  "refused",
  "granted",
  "waiting",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Those that a chain can have. */
export const MESSAGE_TYPES = [
  "intent",
  "task",
  "proposal",
  "grant",
  "denial",
  "confirmation_request",
  "confirmation",
  "execute",
  "receipt",
  "refusal",
  "conflict",
  "resolution",
  "observation",
  "revocation",
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

export const CAUSES = ["person", "voice", "automation", "device", "unknown"] as const;
export type Cause = (typeof CAUSES)[number];

/** A device as people see it; one of a phone has no entity. */
export interface Target {
  entity_id: string | null;
  name: string;
}

export interface HoldMet {
  by: string;
  since: number;
  until: number;
}

/** One outcome of one action, or a change that HearthNet did not make. */
export interface Row {
  /** Stays the same from waiting to done. */
  id: string;
  /** The message that decided it. */
  event: string;
  intent: string | null;
  /** Times are epoch seconds. */
  at: number;
  /** Null: others made the change. */
  outcome: Outcome | null;
  cause: Cause | null;
  reason: string | null;
  /** Why, in the reader's language, without a full stop. */
  why: string;
  /** What the decision rests on, as recorded. */
  detail: string;
  rule: string | null;
  targets: Target[];
  /** “on, 20 % bright” */
  wanted: string;
  /** What a read showed afterwards. */
  seen: string;
  asked: string;
  /** A person said it, so that it can be said again. */
  again: boolean;
  by: string;
  origin: string;
  agent: string;
  /** When a plan for later is due. */
  until: number | null;
  /** The hold that was in the way. */
  hold: HoldMet | null;
  /** Of a change by others: the messages of ours that it undid. */
  undid: string[];
  commit: string | null;
}

export interface Evidence {
  text: string;
  code?: string;
  event?: string;
  commit?: string;
  lease?: string;
  rule?: string;
  path?: string;
}

/** One message of a chain. */
export interface ChainNode {
  id: string;
  cause: string | null;
  /** The task that it belongs to, or is. */
  task: string | null;
  type: MessageType;
  at: number;
  /** An agent; of a request, whoever asked. */
  from: string;
  to: string;
  status: "ok" | "no" | "wait";
  /** Empty where the reader may not see what it is about. */
  text: string;
  targets: Target[];
  evidence: Evidence[];
  /** Until when a lease may be used. */
  until: number | null;
  commit: string | null;
}

export interface Chain {
  nodes: ChainNode[];
  /** False while the librarian is away: older messages may be missing. */
  complete: boolean;
}

export interface Agent {
  name: string;
  online: boolean;
  open_tasks: number;
}

export interface Hold {
  /** One for each attribute that one action left held. */
  ids: string[];
  target: Target;
  /** “off”, “20 % bright” */
  value: string;
  by: string;
  since: number;
  until: number | null;
}

export interface Question {
  /** Of all that a request wants done alike: they are answered as one. */
  ids: string[];
  targets: Target[];
  wanted: string;
  /** A sentence: how things are, which is what a person agrees to change. */
  now: string;
  by: string;
  until: number;
  /** Until when the same may be agreed to; null: nobody will ask for it again. */
  evening: number | null;
}

/** What needs no question any more, until it ends. */
export interface Approval {
  id: string;
  targets: Target[];
  wanted: string;
  for: string;
  by: string;
  until: number;
}

/** What is to be done later. */
export interface Plan {
  intent: string;
  text: string;
  by: string;
  due: number;
}

/** What the last start dropped, for this reader to decide about. */
export interface Dropped {
  intent: string;
  text: string;
  by: string;
  /** A person said it, so that it can be asked again. */
  again: boolean;
}

export interface Status {
  /** The server's clock, against which holds run. */
  now: number;
  open: boolean;
  enabled: boolean;
  agents: Agent[];
  holds: Hold[];
  questions: Question[];
  approvals: Approval[];
  plans: Plan[];
  dropped: Dropped[];
  /** The reader may release holds and confirm. */
  may_decide: boolean;
  record: {
    connected: boolean;
    behind: number;
    problem: string | null;
    /** The first commit that failed the audit. */
    bad_commit: string | null;
    /** What was recorded from then on may have been altered. */
    bad_since: number | null;
  };
  /** The journal takes events; without it nothing is done. */
  journal: boolean;
}

export interface Page {
  rows: Row[];
  /** Null: there is nothing older. */
  cursor: string | null;
}

export interface Snapshot extends Page {
  type: "snapshot";
  /** Digest of the card that the server has. */
  card: string | null;
  status: Status;
}

export type FeedMessage =
  | Snapshot
  | { type: "rows"; rows: Row[]; gone: string[] }
  | { type: "status"; status: Status }
  | { type: "reset" };
