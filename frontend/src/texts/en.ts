/** English, and what every other language must have. `{name}` is filled in. */

import type { Cause, MessageType, Outcome } from "../types";

export interface Texts {
  title: string;
  why: string;
  live: string;
  loading: string;
  starting: string;
  offline: string;
  offline_since: string;
  error: string;

  groups: Record<"all" | "changed" | "blocked" | "none" | "waiting" | "others", string>;
  show: string;
  search: string;
  search_label: string;
  list_label: string;
  new_rows: string;
  today: string;
  older: string;
  older_failed: string;

  outcomes: Record<Outcome, string>;
  /** Labels of a refusal by its reason; any other is `outcomes.refused`. */
  refusals: Record<string, string>;
  others: string;
  due: string;
  causes: Record<Cause, string>;
  wanted: string;
  undone: string;
  held_by: string;
  origins: Record<string, string>;
  in_quotes: string;

  empty: string;
  empty_hint: string;
  no_match: string;
  clear_filters: string;
  starting_hint: string;
  set_up: string;
  integrations: string;
  error_hint: string;
  audit_failed: string;
  after_bad: string;
  record_problem: string;
  record_away: string;
  journal_failed: string;
  disabled: string;
  not_open: string;
  outdated: string;
  reload: string;
  example: string;

  agents: string;
  agent_offline: string;
  open_tasks: string;

  holds: string;
  named: string;
  release: string;
  release_label: string;

  questions: string;
  expires: string;
  approve: string;
  reject: string;

  approvals: string;
  revoke: string;
  plans: string;
  cancel: string;
  restarted: string;
  dropped: string;
  let_be: string;

  what_happened: string;
  what_happened_outside: string;
  chain_loading: string;
  chain_failed: string;
  chain_incomplete: string;
  rest: string;
  messages: Record<MessageType, string>;
  hidden: string;
  until: string;
  commit: string;
  copy_commit: string;
  not_recorded: string;
  undo: string;
  ask_again: string;
  done: string;
  too_late: string;

  drawing: string;
  replay: string;
  play: string;
  pause: string;
  position: string;
  step: string;
  speed: string;

  form: Record<string, string>;
  form_help: Record<string, string>;
  suggestion: string;
  description: string;
}

export const table: Texts = {
  title: "What HearthNet decided",
  why: "Why: {name}",
  live: "Live",
  loading: "Loading",
  starting: "Starting",
  offline: "Offline",
  offline_since: "Offline since {time}",
  error: "Error",

  groups: {
    all: "All",
    changed: "Changed",
    blocked: "Not changed",
    none: "No device",
    waiting: "Waiting",
    others: "By others",
  },
  show: "Show",
  search: "Search",
  search_label: "Search decisions",
  list_label: "Decisions, newest first",
  new_rows: "{count} new",
  today: "Today",
  older: "Load older",
  older_failed: "Older decisions could not be read.",

  outcomes: {
    changed: "Changed",
    already_so: "Was so already",
    running: "Still moving",
    partial: "Only in part",
    unreachable: "Not reachable",
    failed: "Did not work",
    unverified: "Sent; nothing reports back",
    unknown: "Not known",
    refused: "Not done",
    granted: "Lease granted, not used",
    waiting: "Waits for somebody to confirm",
  },
  refusals: {
    policy_denied: "Not allowed",
    not_permitted: "Not allowed",
    confirmation_required: "Not confirmed",
    unanswered: "Nobody answered",
    conflict: "An earlier request won",
    superseded: "A later request won",
    reserved: "Lost to another request",
    stale_state: "Lost to another request",
    deadline: "Ran out of time",
    expired: "Ran out of time",
    not_understood: "Not understood",
    ambiguous: "Not clear",
  },
  others: "Not by HearthNet",
  due: "Waits until {time}",
  causes: {
    person: "changed by {who}",
    voice: "changed by voice, past HearthNet",
    automation: "changed by the automation {who}",
    device: "changed at the device or its switch",
    unknown: "changed, and nothing says by whom",
  },
  wanted: "left alone; wanted {value}",
  undone: "Overridden at {time}: {how}",
  held_by: "{who} asked at {since}; that stands until {until}",
  origins: {
    app: "app",
    voice: "voice",
    chat: "chat",
    automation: "automation",
    schedule: "schedule",
    agent: "agent",
  },
  in_quotes: "“{text}”",

  empty: "No decisions yet",
  empty_hint:
    "Ask for something, for example “movie night”. Every decision shows here, also the ones that changed nothing.",
  no_match: "Nothing matches",
  clear_filters: "Clear filters",
  starting_hint: "HearthNet is starting. This card connects by itself.",
  set_up: "Is the integration set up?",
  integrations: "Open integrations",
  error_hint: "Cannot read decisions",
  audit_failed:
    "The record failed its check at commit {commit}. What came after may have been altered.",
  after_bad: "after the failed check",
  record_problem: "The record has a problem: {problem}",
  record_away: "The librarian is away; {count} events are not in Git yet.",
  journal_failed: "The journal cannot be written: HearthNet changes nothing.",
  disabled: "Actuation is switched off: HearthNet changes nothing.",
  not_open: "Home Assistant is still starting: HearthNet changes nothing yet.",
  outdated: "HearthNet was updated.",
  reload: "Reload this page",
  example: "Example",

  agents: "Agents",
  agent_offline: "offline",
  open_tasks: "{count} open tasks",

  holds: "What is held",
  named: "{name}: {value}",
  release: "Release",
  release_label: "Release {name}, {value}; held for {who}",

  questions: "Waits for you",
  expires: "expires in",
  approve: "Approve",
  reject: "Reject",

  approvals: "Agreed to in advance",
  revoke: "Revoke",
  plans: "Planned for later",
  cancel: "Cancel",
  restarted: "Dropped by a restart",
  dropped: "Restarted: {count} dropped, nothing re-run",
  let_be: "Let it be",

  what_happened: "What happened",
  what_happened_outside: "HearthNet only saw this",
  chain_loading: "Reading the chain…",
  chain_failed: "The chain could not be read.",
  chain_incomplete: "The librarian is away, so older steps may be missing.",
  rest: "Also from this request ({count})",
  messages: {
    intent: "asked",
    task: "task",
    proposal: "proposal",
    grant: "lease",
    denial: "denied",
    confirmation_request: "asks back",
    confirmation: "confirmation",
    execute: "execute",
    receipt: "result",
    refusal: "refused",
    conflict: "conflict",
    resolution: "end",
    observation: "seen",
    revocation: "revoked",
  },
  hidden: "about something you may not see",
  until: "until {time}",
  commit: "commit",
  copy_commit: "Copy commit {sha}",
  not_recorded: "not in Git yet",
  undo: "Undo",
  ask_again: "Ask again",
  done: "Done",
  too_late: "That is over already",

  drawing: "Who spoke with whom: {links}",
  replay: "Replay",
  play: "Play",
  pause: "Pause",
  position: "Step",
  step: "{step} of {count}",
  speed: "Speed",

  form: {
    title: "Title",
    entities: "Entities",
    area: "Areas",
    show: "Show at first",
    limit: "Decisions at first",
    hours: "Hours back",
    compact: "Compact: the list only",
    hide_filters: "Hide filters",
  },
  form_help: {
    entities: "Leave empty for the whole home. With one entity the card answers why it changed.",
  },
  suggestion: "Why did it change?",
  description: "What HearthNet decided, and why something did or did not change.",
};
