/** The connection to the integration: one subscription, kept alive by the card itself.
 *
 * Home Assistant's own resubscription is of no use here. After a restart it comes back before the
 * integration does, gets “unknown command”, and never tries again.
 */

import type { Connection } from "./hass";
import type { FeedMessage } from "./types";

export type Phase = "loading" | "live" | "starting" | "offline" | "error";

export interface FeedListener {
  message(message: FeedMessage): void;
  phase(): void;
}

/** Errors that end by themselves once the integration is set up. */
const STARTING = new Set(["unknown_command", "not_ready"]);
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 30_000;

export class Feed {
  phase: Phase = "loading";
  /** When the present phase began, by `Date.now`. */
  since = Date.now();
  error = "";
  #listener: FeedListener;
  #connection: Connection | undefined;
  #request: object = {};
  #subscription: Promise<() => Promise<void>> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delay = FIRST_DELAY;

  constructor(listener: FeedListener) {
    this.#listener = listener;
  }

  /** Subscribe; a change of connection or request subscribes anew. */
  open(connection: Connection, request: object): void {
    if (connection === this.#connection && same(request, this.#request)) return;
    this.close();
    this.#connection = connection;
    this.#request = request;
    connection.addEventListener("ready", this.again);
    connection.addEventListener("disconnected", this.#lost);
    this.again();
  }

  close(): void {
    this.#unsubscribe();
    this.#connection?.removeEventListener("ready", this.again);
    this.#connection?.removeEventListener("disconnected", this.#lost);
    this.#connection = undefined;
  }

  /** Subscribe anew: to be told everything once more. */
  again = (): void => {
    this.#delay = FIRST_DELAY;
    this.#unsubscribe();
    this.#subscribe();
  };

  #lost = (): void => {
    // The server has forgotten the subscription with the connection.
    this.#subscription = undefined;
    clearTimeout(this.#timer);
    this.#enter("offline");
  };

  #unsubscribe(): void {
    clearTimeout(this.#timer);
    // It may have failed, or its connection may be gone: then there is nothing to end.
    this.#subscription?.then((end) => end()).catch(() => undefined);
    this.#subscription = undefined;
  }

  #subscribe(): void {
    if (!this.#connection) return;
    const mine = this.#connection.subscribeMessage<FeedMessage>(
      (message) => {
        if (this.#subscription === mine) this.#take(message);
      },
      // The library writes its number into what it is given.
      { ...this.#request },
      { resubscribe: false },
    );
    this.#subscription = mine;
    mine.catch((error: { code?: string; message?: string }) => {
      if (this.#subscription !== mine) return;
      this.#subscription = undefined;
      this.error = error.message ?? String(error);
      this.#enter(STARTING.has(error.code ?? "") ? "starting" : "error");
      this.#retry();
    });
  }

  #take(message: FeedMessage): void {
    if (message.type === "reset") {
      // The integration is being reloaded; it answers again in a moment.
      this.#unsubscribe();
      this.#enter("starting");
      this.#retry();
      return;
    }
    if (message.type === "snapshot") {
      this.#delay = FIRST_DELAY;
      this.#enter("live");
    }
    this.#listener.message(message);
  }

  #retry(): void {
    this.#timer = setTimeout(() => this.#subscribe(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, LONGEST_DELAY);
  }

  #enter(phase: Phase): void {
    if (phase !== this.phase) this.since = Date.now();
    this.phase = phase;
    this.#listener.phase();
  }
}

function same(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
