// Whoever leaves is gone from the relay whatever the link is doing at that moment. Runs in node.

import assert from "node:assert/strict";
import { runAll } from "./run_all.mjs";

const sockets = [];

/** A browser's WebSocket to a relay that opens, answers and ends when it is told to. */
class Socket {
  static CONNECTING = 0;
  static OPEN = 1;
  readyState = Socket.CONNECTING;
  bufferedAmount = 0;
  said = [];
  isClosed = false;

  constructor(url, protocols) {
    this.protocols = protocols;
    sockets.push(this);
  }

  open(token) {
    this.readyState = Socket.OPEN;
    this.onopen?.();
    this.onmessage?.({ data: JSON.stringify({ open: {}, token, hold_msec: 30_000 }) });
  }

  send(text) {
    assert.equal(this.readyState, Socket.OPEN, "sent before it was open");
    this.said.push(text);
  }

  close() {
    this.isClosed = true;
  }

  end(code = 1000) {
    this.readyState = 3;
    this.onclose({ code, reason: "" });
  }

  get hasSaidGoodbye() {
    return this.isClosed && this.said.includes(JSON.stringify({ bye: true }));
  }
}

Object.assign(globalThis, { WebSocket: Socket, WebTransport: undefined, addEventListener() {}, removeEventListener() {}, document: { baseURI: "http://relay.test/" } });
const { Link } = await import("../link.js");

const listener = { packet() {}, opened() {}, resumed() {}, moved() {}, timed() {}, lost() {}, coming() {}, closed() {} };

/** A link that is carried, and its socket. */
function carried() {
  const link = Link.open("127.0.0.1:27960", listener);
  const socket = sockets.at(-1);
  socket.open("secret");
  assert.equal(link.transport, "WebSocket");
  return { link, socket };
}

const isKept = (promise) => Promise.race([promise.then(() => true), new Promise((resolve) => setTimeout(() => resolve(false), 20))]);

const tests = {
  async "the page waits until the relay has answered"() {
    const { link, socket } = carried();
    link.close();
    assert(socket.hasSaidGoodbye);
    assert.equal(await isKept(link.left), false);
    socket.end();
    assert.equal(await isKept(link.left), true);
  },
  async "an attempt to go on that has not opened says it as soon as it can"() {
    const { link, socket } = carried();
    socket.end(1006);
    const attempt = sockets.at(-1);
    assert.notEqual(attempt, socket);
    link.close();
    assert.equal(attempt.hasSaidGoodbye, false);
    attempt.open("secret");
    assert(attempt.hasSaidGoodbye);
    assert.equal(await isKept(link.left), false);
    attempt.end();
    assert.equal(await isKept(link.left), true);
  },
  async "between two attempts there is one more"() {
    const { link, socket } = carried();
    socket.end(1006);
    const failed = sockets.at(-1);
    failed.end(1006);
    link.close();
    const last = sockets.at(-1);
    assert.notEqual(last, failed);
    assert(last.protocols.includes("resume.secret"));
    last.open("secret");
    assert(last.hasSaidGoodbye);
  },
  async "a relay that never answers keeps nobody"() {
    const { link } = carried();
    link.close();
    const began = performance.now();
    await link.left;
    assert(performance.now() - began > 1000);
  },
};

await runAll(tests);
