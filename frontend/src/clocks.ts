/** Clocks that run down, without rendering anything else each second. */

import type { LitElement, ReactiveController } from "lit";
import { span } from "./words";

/** Milliseconds that this browser's clock may gain or lose before it counts as set. */
const STEADY = 2_000;

export class Clocks implements ReactiveController {
  #host: LitElement;
  #jumped: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #drift = drift();

  /**
   * Fills every `.clock` of the host: `data-until` in this browser's epoch seconds. `jumped` is
   * called when the browser's clock was set, or has slept, and those are not what they were.
   */
  constructor(host: LitElement, jumped: () => void) {
    this.#host = host;
    this.#jumped = jumped;
    host.addController(this);
  }

  hostUpdated(): void {
    if (this.#fill() && this.#timer === undefined) this.#timer = setInterval(this.#tick, 1000);
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick = (): void => {
    const gained = drift() - this.#drift;
    if (Math.abs(gained) > STEADY) {
      this.#drift += gained;
      this.#jumped();
    }
    if (!this.#fill()) this.hostDisconnected();
  };

  /** Return how many clocks there are. */
  #fill(): number {
    const clocks = this.#host.renderRoot.querySelectorAll<HTMLElement>(".clock");
    for (const clock of clocks) {
      const left = Number(clock.dataset.until) - Date.now() / 1000;
      clock.textContent = span(left);
      // What it belongs to is over: the host shows it no longer.
      if (left <= 0) this.#host.requestUpdate();
    }
    return clocks.length;
  }
}

/** What the clock on the wall shows more than the one that only runs. */
function drift(): number {
  return Date.now() - performance.now();
}
