// What waits for a browser that does not send: few datagrams, the newest, in their order; and what came in two halves. Runs in node.

import assert from "node:assert/strict";
import { Joiner, Outbox } from "../link.js";
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
      outbox.send(datagram(number));
      await browser.takeAll();
      assert.equal(browser.taken.length, number);
      assert.deepEqual(browser.taken.at(-1), Uint8Array.of(0, ...datagram(number)));
    }
  },

  async "one that stalls gets the newest when it goes on"() {
    const browser = new Browser();
    const outbox = new Outbox(browser.writer);
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let number = 1; number <= 100; number++) outbox.send(datagram(number));
    await browser.takeAll();
    // The first had left before the stall.
    assert.deepEqual(browser.taken.map((packet) => packet[1]), [1, 97, 98, 99, 100]);
  },

  async "what waits does not change with the page's buffer"() {
    const browser = new Browser();
    const outbox = new Outbox(browser.writer);
    const buffer = datagram(1);
    outbox.send(buffer);
    outbox.send(buffer.fill(2));
    buffer.fill(3);
    await browser.takeAll();
    assert.deepEqual(browser.taken.map((packet) => packet[1]), [1, 2]);
  },

  async "large ones go in two halves, whole or not at all"() {
    const browser = new Browser();
    const outbox = new Outbox(browser.writer);
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let number = 1; number <= 10; number++) outbox.send(datagram(number, 1400));
    outbox.send(datagram(11, 2299));
    await browser.takeAll();
    assert.deepEqual(browser.taken.map((packet) => [packet[1], packet.length]), [1, 7, 8, 9, 10].flatMap((number) => [[number, 1150], [number, 252]]));
    for (let at = 0; at < browser.taken.length; at += 2) {
      const [first, second] = [browser.taken[at][0], browser.taken[at + 1][0]];
      assert.equal(first & 0x81, 0x80);
      assert.equal(second, first | 1);
    }
  },

  "halves are joined though some are lost and come again"() {
    const joiner = new Joiner();
    const halves = (number, size) => {
      const head = 0x80 | ((number & 63) << 1);
      return [Uint8Array.of(head, ...datagram(number, 1149)), Uint8Array.of(head | 1, ...datagram(number, size - 1149))];
    };
    // Every number comes round three times, and each time another of the four is lost.
    for (let number = 0; number < 200; number++) {
      const sent = [...halves(number, 1400), ...halves(number, 1400)];
      sent.splice(number % 4, 1);
      assert.deepEqual(sent.map((packet) => joiner.join(packet)).filter(Boolean), [datagram(number, 1400)]);
    }
    // A half that was lost for good is not joined to the next one of its number.
    assert.equal(joiner.join(halves(200, 1400)[1]), null);
    for (let number = 201; number < 300; number++) {
      const [first, second] = halves(number, 1300);
      assert.equal(joiner.join(first), null);
      assert.deepEqual(joiner.join(second), datagram(number, 1300));
    }
  },

  async "a connection that is over is no error here"() {
    const outbox = new Outbox(new WritableStream({ write: () => Promise.reject(new Error("over")) }).getWriter());
    for (let number = 1; number <= 5; number++) {
      outbox.send(datagram(number));
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  },
};

await runAll(tests);
