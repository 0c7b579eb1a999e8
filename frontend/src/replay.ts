/** Plays a chain of messages again, one after the other. */

import type { ReactiveController, ReactiveControllerHost } from "lit";
import { dwell } from "./chain";
import type { ChainNode } from "./types";

export const SPEEDS = [0.5, 1, 2, 4];

export class Replay implements ReactiveController {
  /** The message shown; undefined: the chain stands as it is. */
  index: number | undefined;
  playing = false;
  speed = 1;
  #host: ReactiveControllerHost;
  #nodes: ChainNode[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {}

  hostDisconnected(): void {
    this.stop();
  }

  /** Take a chain; what was playing of another one ends. */
  load(nodes: ChainNode[]): void {
    this.#nodes = nodes;
    if (this.index !== undefined && this.index >= nodes.length) this.stop();
  }

  toggle(): void {
    if (this.playing) {
      this.playing = false;
      clearTimeout(this.#timer);
      this.#host.requestUpdate();
    } else {
      this.playing = true;
      const ended = this.index === undefined || this.index >= this.#nodes.length - 1;
      this.#show(ended ? 0 : (this.index ?? 0));
    }
  }

  seek(index: number): void {
    this.#show(Math.min(Math.max(index, 0), this.#nodes.length - 1));
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.#schedule();
    this.#host.requestUpdate();
  }

  stop(): void {
    this.playing = false;
    this.index = undefined;
    clearTimeout(this.#timer);
    this.#host.requestUpdate();
  }

  #show(index: number): void {
    this.index = index;
    this.#schedule();
    this.#host.requestUpdate();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.playing || this.index === undefined) return;
    const next = this.index + 1;
    this.#timer = setTimeout(
      () => {
        if (next < this.#nodes.length) this.#show(next);
        else {
          // The last message stays on show, so that the end can be read.
          this.playing = false;
          this.#host.requestUpdate();
        }
      },
      dwell(this.#nodes, this.index, this.speed) * 1000,
    );
  }
}
