// A line between page and relay that can be cut: forwards TCP and UDP of one port each.

import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";

export class Line {
  #relayPort;
  #tcp;
  #udp = createSocket("udp4");
  #pairs = new Set();
  #guests = new Map(); // the page's UDP port -> our socket towards the relay
  #isHeld = false;
  #isBroken = false;
  #passesUdp = true;
  udpDatagrams = 0;

  /** A line to a relay on this machine, whose TCP and UDP ports are the same. */
  static async to(relayPort) {
    const line = new Line();
    line.#relayPort = relayPort;
    line.#tcp = createServer({ allowHalfOpen: true }, (page) => line.#accept(page));
    await new Promise((resolve) => line.#tcp.listen(0, "127.0.0.1", resolve));
    line.#udp.on("message", (bytes, { port }) => line.#forward(bytes, port));
    await new Promise((resolve) => line.#udp.bind(0, "127.0.0.1", resolve));
    return line;
  }

  get tcpPort() {
    return this.#tcp.address().port;
  }

  get udpPort() {
    return this.#udp.address().port;
  }

  /** Nothing passes any more and nobody is told, as when a cable is pulled. */
  hold() {
    this.#isHeld = true;
    for (const { page, relay } of this.#pairs) {
      page.pause();
      relay.pause();
    }
  }

  /** All connections break and no new one comes about. */
  break() {
    this.#isBroken = true;
    for (const { page, relay } of this.#pairs) {
      page.resetAndDestroy();
      relay.resetAndDestroy();
    }
  }

  mend() {
    this.#isHeld = false;
    this.#isBroken = false;
    for (const { page, relay } of this.#pairs) {
      page.resume();
      relay.resume();
    }
  }

  /** What some networks do: only TCP passes. */
  blockUdp() {
    this.#passesUdp = false;
  }

  close() {
    this.break();
    this.#tcp.close();
    this.#udp.close();
    for (const guest of this.#guests.values()) guest.close();
  }

  #accept(page) {
    if (this.#isBroken) return page.resetAndDestroy();
    const relay = connect({ port: this.#relayPort, host: "127.0.0.1", allowHalfOpen: true });
    const pair = { page, relay };
    this.#pairs.add(pair);
    for (const [from, to] of [[page, relay], [relay, page]]) {
      from.setNoDelay(true);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => this.#pairs.delete(pair));
      // Whoever connects while nothing passes waits as well.
      if (this.#isHeld) from.pause();
    }
  }

  #forward(bytes, port) {
    if (!this.#passesNow()) return;
    let guest = this.#guests.get(port);
    if (!guest) {
      guest = createSocket("udp4");
      guest.on("message", (answer) => this.#passesNow() && this.#udp.send(answer, port, "127.0.0.1"));
      guest.on("error", () => null);
      this.#guests.set(port, guest);
    }
    guest.send(bytes, this.#relayPort, "127.0.0.1");
  }

  #passesNow() {
    const passes = this.#passesUdp && !this.#isHeld && !this.#isBroken;
    if (passes) this.udpDatagrams++;
    return passes;
  }
}
