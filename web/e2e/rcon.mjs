// Speaks with a game server's console over UDP.

import { createSocket } from "node:dgram";

/** Servers of this kind answer so many lines at once, and then one a second. */
const BURST = 8;
const REFILL_MSEC = 1050;

export class Rcon {
  #socket = createSocket("udp4");
  #answer = "";
  #freeAt = 0; // when all of the burst may be used again

  constructor(address, password) {
    const [host, port] = address.split(":");
    this.host = host;
    this.port = Number(port);
    this.password = password;
    this.#socket.on("message", (bytes) => {
      // Four bytes of 255, then "print" and what the console printed.
      this.#answer += bytes.subarray(4).toString("latin1").replace(/^print\n/, "");
    });
  }

  /** Runs a line and gives what it printed; long answers come in pieces. */
  async run(line) {
    const wait = this.#freeAt - (BURST - 1) * REFILL_MSEC - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    this.#freeAt = Math.max(this.#freeAt, Date.now()) + REFILL_MSEC;
    this.#answer = "";
    const packet = Buffer.concat([Buffer.alloc(4, 255), Buffer.from(`rcon ${this.password} ${line}`)]);
    this.#socket.send(packet, this.port, this.host);
    let length = -1;
    for (let tries = 0; tries < 50 && length !== this.#answer.length; tries++) {
      length = this.#answer.length || -1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return this.#answer;
  }

  close() {
    this.#socket.close();
  }
}
