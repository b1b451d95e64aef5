// What servers have handed out lies apart from the player's own, is told and can be removed; and what does not fit. Runs in node.

import assert from "node:assert/strict";

/** An IndexedDB that is a Map for each store, with room for so many bytes. */
class Browser {
  stores = new Map();
  room = Infinity;

  open() {
    const answer = (value, change) => {
      const request = {};
      queueMicrotask(() => {
        request.result = value;
        change?.();
        request.onsuccess?.();
      });
      return request;
    };
    const objectStore = (name, transaction) => {
      const map = this.stores.get(name);
      return {
        put: (value, key) => answer(key, () => {
          transaction.isFull = value.size > this.room;
          if (!transaction.isFull) map.set(key, value);
        }),
        delete: (key) => answer(undefined, () => map.delete(key)),
        getAll: () => answer([...map.values()]),
        getAllKeys: () => answer([...map.keys()]),
      };
    };
    const database = {
      objectStoreNames: { contains: (name) => this.stores.has(name) },
      createObjectStore: (name) => this.stores.set(name, new Map()),
      transaction: () => {
        // A full disk shows at the end.
        const transaction = {
          objectStore: (name) => objectStore(name, transaction),
          commit: () => queueMicrotask(() => {
            transaction.error = { name: "QuotaExceededError" };
            if (transaction.isFull) transaction.onabort();
            else transaction.oncomplete();
          }),
        };
        return transaction;
      },
    };
    const request = answer(database, () => request.onupgradeneeded?.());
    return request;
  }
}

const browser = new Browser();
const content = { games: [] };
globalThis.indexedDB = browser;
globalThis.document = { baseURI: "http://relay.test/" };
globalThis.fetch = async () => ({ ok: true, json: async () => content });
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
console.warn = () => {};
const { Files } = await import("../files.js");

const file = (name, size) => new File([new Uint8Array(size)], name);
const told = (files) => files.fetched().map(({ store, game, name, size }) => `${store} ${game}/${name} ${size}`);

const tests = {
  async "a server's pak never takes the place of the player's"() {
    const files = await Files.open();
    await files.drop([{ game: "baseq3", file: file("pak0.pk3", 1000) }]);
    const { source, fault } = await files.keep("a_3a1", "baseq3", file("pak0.pk3", 4));
    assert.equal(fault, null);
    assert.equal(source.store, "a_3a1");
    await files.keep("b_3a1", "baseq3", file("pak0.pk3", 5));
    const again = await Files.open();
    assert.deepEqual(told(again), ["a_3a1 baseq3/pak0.pk3 4", "b_3a1 baseq3/pak0.pk3 5"]);
    const own = again.sources.filter((source) => source.store === undefined);
    assert.deepEqual(own.map(({ game, name, size }) => [game, name, size]), [["baseq3", "pak0.pk3", 1000]]);
  },

  async "what a server has handed out can be removed, and nothing else"() {
    const files = await Files.open();
    const [first] = files.fetched();
    await files.remove(first.id);
    assert.deepEqual(told(files), ["b_3a1 baseq3/pak0.pk3 5"]);
    assert.equal((await files.read(first.id, 0, 0)).length, 0);
    const own = files.sources.find((source) => source.store === undefined);
    await assert.rejects(files.remove(own.id), /only what servers/);
    await assert.rejects(files.remove(99), /only what servers/);
    const again = await Files.open();
    assert.deepEqual(told(again), ["b_3a1 baseq3/pak0.pk3 5"]);
    assert.equal(again.sources.length, 2);
  },

  async "a full disk is told, and the pak is there all the same"() {
    const files = await Files.open();
    browser.room = 100;
    const { source, fault } = await files.keep("a_3a1", "baseoa", file("z.pk3", 200));
    browser.room = Infinity;
    assert.equal(fault, "the browser has no room for it");
    assert.equal((await files.read(source.id, 0, 200)).length, 200);
    assert.equal((await Files.open()).fetched().length, 1);
  },

  async "what the relay has fetched is told apart from what it offers"() {
    const pak = (name) => ({ name, bytes: 7, url: `content/${name}` });
    content.games = [{ name: "baseoa", paks: [pak("own.pk3"), { ...pak("far.pk3"), fetched: true }] }];
    const files = await Files.open();
    const stores = Object.fromEntries(files.sources.filter(({ url }) => url).map(({ name, store }) => [name, store]));
    assert.deepEqual(stores, { "own.pk3": undefined, "far.pk3": "_relay" });
    const [later] = files.learn({ game: "baseoa", ...pak("later.pk3"), fetched: true });
    assert.equal(later.store, "_relay");
    assert.deepEqual(files.learn({ game: "baseoa", ...pak("later.pk3"), fetched: true }), []);
    await assert.rejects(files.remove(later.id), /lies at the relay/);
  },

  async "an older page in another tab does not keep this one from playing"() {
    const open = browser.open;
    browser.open = () => {
      const request = {};
      queueMicrotask(() => request.onblocked());
      return request;
    };
    const files = await Files.open();
    browser.open = open;
    const { fault } = await files.keep("a_3a1", "baseoa", file("z.pk3", 2));
    assert.equal(fault, "this browser keeps nothing");
  },
};

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  try {
    await run();
    console.log(`test ${name} ... ok`);
  } catch (error) {
    failed++;
    console.log(`test ${name} ... FAILED\n${error.stack}`);
  }
}
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${Object.keys(tests).length - failed} passed; ${failed} failed`);
process.exitCode = failed ? 1 : 0;
