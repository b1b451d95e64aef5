// What waits for a browser that does not send: few datagrams, the newest, in their order; and what came in two halves. Runs in node.

import assert from "node:assert/strict";
import { Outbox } from "../link.js";
import { runAll } from "./run_all.mjs";

/** A stream of datagrams like a browser's, which takes one whenever it is told to. */
class Browser {
  taken = [];
  #takes = [];
  writer = new WritableStream({
    write: (packet) => new Promise((resolve) => {
      this.taken.push(packet);
      this.#takes.push(resolve);
    }),
  }).getWriter();

  async takeAll() {
    for (let quiet = 0; quiet < 10; quiet++) {
      if (this.#takes.length > 0) quiet = 0;
      for (const take of this.#takes.splice(0)) take();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
}

const datagram = (number, size = 90) => new Uint8Array(size).fill(number);

const tests = {
  async "a browser that sends gets everything at once"() {
    const browser = new Browser();
    const outbox = new Outbox(browser.writer);
    for (let number = 1; number <= 20; number++) {
      outbox.send([datagram(number)]);
      await browser.takeAll();
      assert.equal(browser.taken.length, number);
      assert.deepEqual(browser.taken.at(-1), datagram(number));
    }
  },

  async "one that stalls gets the newest when it goes on"() {
    const browser = new Browser();
    const outbox = new Outbox(browser.writer);
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let number = 1; number <= 100; number++) outbox.send([datagram(number)]);
    await browser.takeAll();
    // The first had left before the stall.
    assert.deepEqual(browser.taken.map((packet) => packet[1]), [1, 97, 98, 99, 100]);
  },

  async "the packets of a datagram go together or not at all"() {
    const browser = new Browser();
    const outbox = new Outbox(browser.writer);
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let number = 1; number <= 10; number++) outbox.send([datagram(number, 1150), datagram(number, 252)]);
    await browser.takeAll();
    assert.deepEqual(browser.taken.map((packet) => [packet[1], packet.length]), [1, 7, 8, 9, 10].flatMap((number) => [[number, 1150], [number, 252]]));
  },

  async "a connection that is over is no error here"() {
    const outbox = new Outbox(new WritableStream({ write: () => Promise.reject(new Error("over")) }).getWriter());
    for (let number = 1; number <= 5; number++) {
      outbox.send([datagram(number)]);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  },
};

await runAll(tests);
