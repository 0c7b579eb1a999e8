/** Clocks that run down, without rendering anything else each second. */

import type { LitElement, ReactiveController } from "lit";
import { span } from "./words";

export class Clocks implements ReactiveController {
  #host: LitElement;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Fills every `.clock` of the host: `data-until` in this browser's epoch seconds. */
  constructor(host: LitElement) {
    this.#host = host;
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
