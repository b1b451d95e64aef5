// What servers have handed out lies apart from the player's own, is told and can be removed; the page's own pak comes whole and
// once, and what the first frame needs in one file. Runs in node.

import assert from "node:assert/strict";
import { runAll } from "./run_all.mjs";

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
        get: (key) => answer(map.get(key)),
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
/** What answers unless a test puts something else in its place. */
const relay = async () => ({ ok: true, json: async () => content });
globalThis.fetch = relay;
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
console.warn = () => {};
const { Files, figures } = await import("../files.js");

const ARENA = { name: "./strafe-0a1b2c3d.pk3", bytes: 6, sentBytes: 4 };
const open = (page = {}) => Files.open({ arena: ARENA, ...page });
const file = (name, size) => new File([new Uint8Array(size)], name);
const told = (files) => files.fetched().map(({ store, game, name, size }) => `${store} ${game}/${name} ${size}`);

const tests = {
  async "a server's pak never takes the place of the player's"() {
    const files = await open();
    await files.drop([{ game: "baseq3", file: file("pak0.pk3", 1000) }]);
    const { source, fault } = await files.keep("a_3a1", "baseq3", file("pak0.pk3", 4));
    assert.equal(fault, null);
    assert.equal(source.store, "a_3a1");
    await files.keep("b_3a1", "baseq3", file("pak0.pk3", 5));
    const again = await open();
    assert.deepEqual(told(again), ["a_3a1 baseq3/pak0.pk3 4", "b_3a1 baseq3/pak0.pk3 5"]);
    const own = again.sources.filter((source) => source.store === undefined && source.game !== "strafe");
    assert.deepEqual(own.map(({ game, name, size }) => [game, name, size]), [["baseq3", "pak0.pk3", 1000]]);
  },

  async "what a server has handed out can be removed, and nothing else"() {
    const files = await open();
    const [first] = files.fetched();
    await files.remove(first.id);
    assert.deepEqual(told(files), ["b_3a1 baseq3/pak0.pk3 5"]);
    assert.equal((await files.read(first.id, 0, 0)).length, 0);
    const own = files.sources.find((source) => source.store === undefined);
    await assert.rejects(files.remove(own.id), /only what servers/);
    await assert.rejects(files.remove(99), /only what servers/);
    const again = await open();
    assert.deepEqual(told(again), ["b_3a1 baseq3/pak0.pk3 5"]);
    assert.equal(again.sources.length, 3);
  },

  async "a full disk is told, and the pak is there all the same"() {
    const files = await open();
    browser.room = 100;
    const { source, fault } = await files.keep("a_3a1", "baseoa", file("z.pk3", 200));
    browser.room = Infinity;
    assert.equal(fault, "the browser has no room for it");
    assert.equal((await files.read(source.id, 0, 200)).length, 200);
    assert.equal((await open()).fetched().length, 1);
  },

  async "what the relay has fetched is told apart from what it offers"() {
    const pak = (name) => ({ name, bytes: 7, url: `content/${name}` });
    content.games = [{ name: "baseoa", paks: [pak("own.pk3"), { ...pak("far.pk3"), fetched: true }] }];
    const files = await open();
    const stores = Object.fromEntries(files.sources.filter(({ url }) => url).map(({ name, store }) => [name, store]));
    delete stores["strafe.pk3"];
    assert.deepEqual(stores, { "own.pk3": undefined, "far.pk3": "_relay" });
    const [later] = files.learn({ game: "baseoa", ...pak("later.pk3"), fetched: true });
    assert.equal(later.store, "_relay");
    assert.deepEqual(files.learn({ game: "baseoa", ...pak("later.pk3"), fetched: true }), []);
    await assert.rejects(files.remove(later.id), /lies at the relay/);
  },

  async "the page's own pak comes whole and once, from any host"() {
    const asked = [];
    globalThis.fetch = async (url, { headers }) => {
      asked.push([url.href, headers]);
      return new Response(Uint8Array.of(0, 1, 2, 3, 4, 5));
    };
    const files = await open({ list: null, isArenaNext: true });
    const arena = files.sources.at(-1);
    assert.deepEqual([arena.game, arena.name, arena.size], ["strafe", "strafe.pk3", 6]);
    await files.takeArena();
    const both = await Promise.all([files.read(arena.id, 1, 3), files.read(arena.id, 4, 6)]);
    assert.deepEqual(both.map((bytes) => [...bytes]), [[1, 2], [4, 5]]);
    const again = await open({ list: null });
    assert.deepEqual([...await again.read(again.sources.at(-1).id, 0, 2)], [0, 1]);
    assert.deepEqual(asked, [["http://relay.test/strafe-0a1b2c3d.pk3", undefined]]);
  },

  async "whoever joins by a relay without paks gets the page's own at once, and whole"() {
    const asked = [];
    globalThis.fetch = async (url) => {
      if (String(url).startsWith("api/content")) return relay();
      asked.push(url.href);
      return new Response(new Uint8Array(6));
    };
    const join = async (name, isJoining) => {
      await open({ server: isJoining ? "q3.test:27960" : null, arena: { ...ARENA, name } });
      await new Promise((resolve) => setTimeout(resolve));
    };
    content.games = [];
    await join("./strafe-aaaaaaa2.pk3", true);
    await join("./strafe-aaaaaaa3.pk3", false);
    content.games = [{ name: "baseoa", paks: [{ name: "own.pk3", bytes: 7, url: "content/own.pk3" }] }];
    await join("./strafe-aaaaaaa4.pk3", true);
    assert.deepEqual(asked, ["http://relay.test/strafe-aaaaaaa2.pk3"]);
  },

  async "a server elsewhere needs parts of the page's own pak only"() {
    const asked = [];
    let knowsParts = true;
    globalThis.fetch = async (url, { headers }) => {
      asked.push(headers.Range);
      const [, from, to] = headers.Range.match(/bytes=(\d)-(\d)/).map(Number);
      const all = Uint8Array.of(0, 1, 2, 3, 4, 5);
      const part = knowsParts ? all.slice(from, to + 1) : all;
      return { status: knowsParts ? 206 : 200, arrayBuffer: async () => part.buffer };
    };
    const files = await open({ list: null, arena: { ...ARENA, name: "./strafe-aaaaaaa1.pk3" } });
    const { id } = files.sources.at(-1);
    assert.deepEqual([...await files.read(id, 2, 4)], [2, 3]);
    assert.deepEqual(asked, ["bytes=2-3"]);
    // The host knows no parts: it is asked once.
    knowsParts = false;
    assert.deepEqual([...await files.read(id, 4, 6)], [4, 5]);
    assert.deepEqual([...await files.read(id, 0, 2)], [0, 1]);
    assert.deepEqual(asked, ["bytes=2-3", "bytes=4-5"]);
    const again = await open({ list: null, arena: { ...ARENA, name: "./strafe-aaaaaaa1.pk3" } });
    assert.deepEqual([...await again.read(again.sources.at(-1).id, 0, 6)], [0, 1, 2, 3, 4, 5]);
    assert.equal(asked.length, 2);
  },

  async "a host that packs nothing has the page's own pak in a packed form"() {
    const asked = [];
    globalThis.fetch = async (url) => {
      asked.push(String(url));
      if (!String(url).endsWith(".gzip")) return new Response(Uint8Array.of(7, 8, 9));
      return new Response(new Blob([Uint8Array.of(7, 8, 9)]).stream().pipeThrough(new CompressionStream("gzip")));
    };
    // What reads a part first, as who does not begin a match at once, gets the packed form as well.
    for (const name of ["s-bbbbbbb1.pk3", "s-bbbbbbb2.pk3"]) {
      const files = await open({ list: null, arena: { name: `./${name}`, bytes: 3, sentBytes: 2, packed: { name: `./${name}.gzip`, bytes: 23 } } });
      if (name === "s-bbbbbbb1.pk3") await files.takeArena();
      assert.deepEqual([...await files.read(files.sources.at(-1).id, 1, 3)], [8, 9]);
    }
    const of = (name) => [`http://relay.test/${name}`, `http://relay.test/${name}.gzip`];
    // A host that knows no parts is asked in vain for one, and once more whether it packs.
    assert.deepEqual(asked, [...of("s-bbbbbbb1.pk3"), "http://relay.test/s-bbbbbbb2.pk3", ...of("s-bbbbbbb2.pk3")]);
  },

  async "what the first frame needs comes in one file, and once"() {
    const pak = Uint8Array.from({ length: 300 }, (_, at) => at % 100);
    const packed = new Uint8Array(await new Response(new Blob([pak.slice(60)]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
    const head = new TextEncoder().encode(JSON.stringify({
      paks: [["baseoa", "a.pk3", false], ["baseoa", "a.pk3", true], ["baseoa", "gone.pk3", false]],
      // The third has two bytes of its own, and then those of the first.
      parts: [[0, 0, 10, 10], [0, 60, 300, packed.length], [1, 20, 32, 2, 0], [2, 0, 4, 4]],
    }));
    const body = new Blob([Uint32Array.of(head.length), head, pak.slice(0, 10), packed, Uint8Array.of(20, 21), new Uint8Array(4)]);
    const file = await body.arrayBuffer();
    const about = (version) => ({ game: "baseoa", map: null, bytes: file.byteLength, url: `first/baseoa?v=${version}-1` });
    content.games = [{ name: "baseoa", paks: [{ name: "a.pk3", bytes: 300, url: "content/a.pk3?v=1", light: { bytes: 40, url: "light/a.pk3?v=1" } }] }];
    const asked = [];
    let answerFirst = () => new Response(file);
    globalThis.fetch = async (url, { headers, signal } = {}) => {
      asked.push([String(url), headers?.Range].filter(Boolean).join(" "));
      if (String(url).startsWith("api/content")) return relay();
      if (String(url).includes("/first/")) return answerFirst(signal);
      const [, from, to] = headers.Range.match(/bytes=(\d+)-(\d+)/).map(Number);
      return { status: 206, arrayBuffer: async () => pak.slice(from, to + 1).buffer };
    };
    const visit = async (version, options) => {
      asked.length = 0;
      content.first = [about(version), { ...about(version), map: "oa_dm1", url: `first/baseoa/oa_dm1?v=${version}-1` }];
      return open({ server: "q3.test:27960", ...options });
    };
    const readAll = async (files) => {
      const [exact, light] = ["content", "light"].map((part) => files.sources.find(({ url }) => url?.includes(`/${part}/a`)).id);
      const bytes = await Promise.all([files.read(exact, 2, 8), files.read(exact, 60, 300), files.read(light, 20, 32), files.read(exact, 10, 12)]);
      return bytes.map((bytes) => [...bytes]);
    };
    const expected = [[...pak.slice(2, 8)], [...pak.slice(60)], [20, 21, ...pak.slice(0, 10)], [10, 11]];
    const list = "api/content?server=q3.test%3A27960";
    const firsts = ["http://relay.test/first/baseoa?v=1-1", "http://relay.test/first/baseoa/oa_dm1?v=1-1"];
    let codeCame;
    const files = await visit(1, { code: new Promise((resolve) => (codeCame = resolve)) });
    assert.deepEqual(asked, [list]);
    codeCame();
    assert.deepEqual(await readAll(files), expected);
    assert.deepEqual(asked, [list, ...firsts, "http://relay.test/content/a.pk3?v=1 bytes=10-11"]);
    // The next visit has all of it, whatever else was played in between; who wants the exact files has no use for it.
    await visit(1, { server: null, map: "oa_dm2" });
    assert.deepEqual(await readAll(await visit(1)), expected);
    assert.deepEqual(asked, [list]);
    await visit(2, { isExact: true });
    assert.deepEqual(asked, [list]);
    // One that is cut off is of no use either: all comes part by part.
    const fromPaks = [expected[0], expected[1], [...pak.slice(20, 32)], expected[3]];
    answerFirst = () => new Response(file.slice(1));
    assert.deepEqual(await readAll(await visit(3)), fromPaks);
    // So is one that stops arriving, and it is not asked for again.
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (run, msec) => setTimeout(run, msec > 1000 ? 20 : msec);
    answerFirst = (signal) => new Response(new ReadableStream({
      start(stream) {
        stream.enqueue(new Uint8Array(file, 0, 20));
        signal.addEventListener("abort", () => stream.error(signal.reason));
      },
    }));
    assert.deepEqual(await readAll(await visit(4)), fromPaks);
    assert.equal(asked.filter((url) => url.includes("/first/")).length, 2);
    globalThis.setTimeout = setTimeout;
    assert.equal(figures.firstGotBytes, 2 * file.byteLength);
    assert.equal(figures.firstBytes, figures.firstGotBytes);
    delete content.first;
  },

  async "a pak that could not be fetched is asked for again"() {
    let answers = 0;
    globalThis.setTimeout = (run) => queueMicrotask(run);
    globalThis.fetch = async () => ({ status: answers++ < 4 ? 404 : 206, arrayBuffer: async () => new ArrayBuffer(6) });
    const files = await open({ list: null, arena: { ...ARENA, name: "./strafe-ffffffff.pk3" } });
    const { id } = files.sources.at(-1);
    await assert.rejects(files.read(id, 0, 6), /relay\.test answers 404 instead of a part/);
    assert.equal((await files.read(id, 0, 6)).length, 6);
  },

  async "an older page in another tab does not keep this one from playing"() {
    const openDatabase = browser.open;
    browser.open = () => {
      const request = {};
      queueMicrotask(() => request.onblocked());
      return request;
    };
    const files = await open();
    browser.open = openDatabase;
    const { fault } = await files.keep("a_3a1", "baseoa", file("z.pk3", 2));
    assert.equal(fault, "this browser keeps nothing");
  },
};

await runAll(tests, () => (globalThis.fetch = relay));
