// Paks of the relay, of the player and the page's own: fetched in parts or whole, kept by the browser for the next visit.

const DATABASE = "strafe";
const PARTS = "parts"; // "url|start|end" -> ArrayBuffer
const DROPPED = "dropped"; // "game/name" -> File
const FETCHED = "fetched"; // "server's store|game/name" -> File
const RELAY_LIST = "api/content";
const RELAY_STORE = "_relay"; // what the relay has fetched; the relay keeps it
const TRIES = 4;
const CHEAP_BYTES = 16384;
const MAX_SILENCE_MSEC = 8000; // of a first file that is on its way
const NOTHING = { paks: [], first: [] };
const UTF8 = new TextDecoder();

/** Bytes that came over the line and bytes that were here already; of first files how many there are, and how many came. */
export const figures = { fetchedBytes: 0, keptBytes: 0, requests: 0, firstBytes: 0, firstGotBytes: 0 };

/** All paks; `read(id, start, end)` brings a part of one. */
export class Files {
  sources = [];
  #database;
  #parts = new Map(); // url -> [{start, end, bytes}], what the browser keeps, and here is or was just now
  #wholes = new Map(); // url -> a promise of all its bytes
  #unwritten = []; // {url, part} that the browser is still to keep
  #isWriting = false;
  #first = Promise.resolve(); // until the first files are here
  #arena;
  #list;

  /**
   * `arena`: where the page's own pak lies and how large it is, if it has one. `list`: where the list of the others lies;
   * null where there are none. `server` or `map`: what will be played, if that is known; what it needs first is fetched at
   * once, but after `code`, a promise. `isExact`: smaller copies are not wanted.
   * `isArenaNext`: a match on it begins. `isJoining`: one on a server, on the same arena where the relay offers no paks.
   */
  static async open({ arena, list = RELAY_LIST, server, map, isExact, code, isArenaNext } = {}) {
    const files = new Files();
    files.#list = list;
    files.#arena = arena && ofArena(arena);
    // First of all: once the code has come, answers wait until it lets the page go on.
    const listing = listContent(list, { server, map, isExact });
    listing.catch(() => null); // whoever waits for it is told
    files.#database = await openDatabase().catch((error) => {
      // Private windows may keep nothing; the game plays without, and fetches again next time.
      console.warn("The browser keeps no game files:", error);
      return null;
    });
    const index = files.#loadIndex();
    const isNeeded = isArenaNext || (server && listing.then(({ paks }) => paks.length === 0, () => false));
    // It travels while the code does.
    Promise.all([isNeeded, index]).then(([isNeeded]) => isNeeded && files.takeArena());
    const [{ paks, first }, dropped, fetched] = await Promise.all([listing, files.#listDropped(), files.#listFetched(), index]);
    for (const source of [...paks, ...dropped, ...fetched, files.#arena]) if (source) files.#add(source);
    for (const source of paks) if (source.light) files.#add({ ...source.light, lightens: source.id });
    files.#takeAllFirst(first, code);
    files.#forgetOthers(first);
    return files;
  }

  /** A match on this server begins: what its map needs first is fetched. */
  async expect(destination) {
    const { first } = await listContent(this.#list, destination).catch(() => NOTHING);
    this.#takeAllFirst(first);
  }

  /** Takes pk3 files of the player, and keeps them; returns the new sources. */
  async drop(found) {
    const added = [];
    for (const { file, game } of found) {
      const source = { game, name: file.name, size: file.size, root: 1, file };
      added.push(this.#add(source));
      await this.#write(DROPPED, `${game}/${file.name}`, file);
    }
    if (added.length > 0) await navigator.storage?.persist?.().catch(() => false);
    return added;
  }

  /** Takes a pak that a server has handed out, and keeps it apart from the player's own; returns the new source and why it
   * is not kept, if it is not. */
  async keep(store, game, file) {
    const source = this.#add({ game, name: file.name, size: file.size, root: 255, store: store ?? "", file });
    const fault = await this.#tryWrite(FETCHED, keyOfFetched(source), file);
    return { source, fault };
  }

  /** What servers have handed out, and what the relay has fetched for them. */
  fetched() {
    return this.sources.filter((source) => source.store !== undefined && !source.isRemoved);
  }

  /** Removes a pak that a server has handed out. */
  async remove(id) {
    const source = this.sources[id];
    if (source?.store === undefined) throw new Error("only what servers have handed out is removed");
    if (source.url) throw new Error(`${source.name} lies at the relay, not in this browser`);
    await this.#request(FETCHED, "readwrite", (opened) => opened.delete(keyOfFetched(source)));
    source.isRemoved = true;
    source.file = new File([], source.name);
  }

  /** Takes a pak that the relay has only now; returns it if it is new. */
  learn({ game, name, bytes, url, fetched, directory }) {
    const source = ofRelay(game, { name, bytes, url, fetched, directory });
    return this.sources.some((known) => known.url === source.url) ? [] : [this.#add(source)];
  }

  /** Bytes from start to end of a pak. Only `parts` of them (starts and ends in turn) are wanted; between them may be zeros. */
  async read(id, start, end, parts = [start, end]) {
    const source = this.sources[id];
    if (!source) throw new Error(`there is no pak number ${id}`);
    if (source.file) return new Uint8Array(await source.file.slice(start, end).arrayBuffer());
    if (this.#isWhole(source)) return new Uint8Array(await this.#whole(source), start, end - start);
    await this.#first;
    const bytes = new Uint8Array(end - start);
    const kept = [...(this.#parts.get(source.url) ?? [])];
    const values = new Map();
    const gaps = [];
    const miss = (from, to) => {
      const last = gaps.at(-1);
      // What lies between two near gaps costs less than another request.
      if (last && from - last[1] <= CHEAP_BYTES) last[1] = to;
      else gaps.push([from, to]);
    };
    for (let i = 0; i < parts.length; i += 2) {
      let at = parts[i];
      for (const part of kept) {
        if (part.end <= at) continue;
        if (part.start >= parts[i + 1]) break;
        if (!values.has(part)) values.set(part, part.bytes ?? (await this.#readPart(source.url, part)));
        const value = values.get(part);
        if (!value) continue;
        if (part.start > at) miss(at, part.start);
        const from = Math.max(at, part.start);
        const to = Math.min(parts[i + 1], part.end);
        bytes.set(new Uint8Array(value).subarray(from - part.start, to - part.start), from - start);
        figures.keptBytes += to - from;
        at = to;
        if (at >= parts[i + 1]) break;
      }
      if (at < parts[i + 1]) miss(at, parts[i + 1]);
    }
    await Promise.all(gaps.map(async ([from, to]) => {
      const part = await fetchPart(source, from, to);
      if (!part) return bytes.set(new Uint8Array(await this.#whole(source), from, to - from), from - start);
      const isWhole = source.isOwn && part.byteLength === source.size;
      bytes.set(new Uint8Array(part, isWhole ? from : 0, to - from), from - start);
      if (isWhole) this.#wholes.set(source.url, Promise.resolve(part));
      // Nobody waits until the browser has written it.
      if (isWhole) this.#keepPart(source.url, 0, source.size, part);
      else this.#keepPart(source.url, from, to, part);
    }));
    return bytes;
  }

  /** Fetches the page's own pak as one, because a match needs most of it; until it is here, who reads of it waits. */
  async takeArena() {
    // Whoever reads of it later asks again, and is told of a failure.
    await this.#whole(this.#arena).catch(() => null);
  }

  #isWhole({ url, size, isOwn }) {
    return isOwn && (this.#wholes.has(url) || (this.#parts.get(url) ?? []).some(({ start, end }) => start === 0 && end === size));
  }

  #whole(source) {
    if (!this.#wholes.has(source.url)) {
      const reading = this.#readWhole(source);
      reading.catch(() => this.#wholes.delete(source.url));
      this.#wholes.set(source.url, reading);
    }
    return this.#wholes.get(source.url);
  }

  async #readWhole(source) {
    const kept = this.#isWhole(source) ? await this.#readPart(source.url, { start: 0, end: source.size }) : null;
    if (kept) {
      figures.keptBytes += source.size;
      return kept;
    }
    const bytes = await fetchWhole(source);
    this.#keepPart(source.url, 0, source.size, bytes);
    return bytes;
  }

  #add(source) {
    source.id = this.sources.length;
    this.sources.push(source);
    return source;
  }

  async #listDropped() {
    const files = await this.#request(DROPPED, "readonly", (store) => store.getAll()).catch(() => null);
    const keys = await this.#request(DROPPED, "readonly", (store) => store.getAllKeys()).catch(() => null);
    return (keys ?? []).map((key, at) => {
      const game = key.slice(0, key.indexOf("/"));
      return { game, name: key.slice(game.length + 1), size: files[at].size, root: 1, file: files[at] };
    });
  }

  async #listFetched() {
    const found = await this.#request(FETCHED, "readonly", (store) => store.getAll()).catch(() => null);
    const keys = await this.#request(FETCHED, "readonly", (store) => store.getAllKeys()).catch(() => null);
    return (keys ?? []).map((key, at) => {
      const [store, path] = key.split("|");
      const [game, name] = path.split("/");
      return { game, name, size: found[at].size, root: 255, store, file: found[at] };
    });
  }

  async #loadIndex() {
    const keys = await this.#request(PARTS, "readonly", (store) => store.getAllKeys()).catch(() => null);
    for (const key of keys ?? []) {
      const [url, start, end] = key.split("|");
      this.#note(url, { start: Number(start), end: Number(end) });
    }
    for (const parts of this.#parts.values()) parts.sort((a, b) => a.start - b.start);
  }

  #takeAllFirst(first, code) {
    this.#first = Promise.all(first.map((entry) => this.#takeFirst(entry, code)));
  }

  /** Takes the parts of a first file, from the browser or the relay; without it they are fetched one by one. */
  async #takeFirst({ url, bytes }, code) {
    try {
      const isKept = this.#parts.get(url)?.some(({ end }) => end === bytes);
      let file = isKept ? await this.#readPart(url, { start: 0, end: bytes }) : null;
      if (file) figures.keptBytes += bytes;
      else {
        await code;
        file = await fetchFirst(url, bytes);
        this.#keepPart(url, 0, bytes, file);
      }
      for (const { source, start, end, part } of await readFirst(file, this.sources)) this.#insert(source.url, { start, end, bytes: part });
    } catch (error) {
      console.warn("What the first frame needs comes file by file:", error);
    }
  }

  /** What was kept of paks that have changed or are gone is of no use; what other maps need first stays for them. */
  #forgetOthers(first) {
    const current = new Set(this.sources.map((source) => source.url));
    const versions = new Set(first.map(({ url }) => versionOfFirst(url)));
    for (const [url, parts] of this.#parts) {
      const version = versionOfFirst(url);
      if (current.has(url) || (version && (versions.size === 0 || versions.has(version)))) continue;
      this.#parts.delete(url);
      for (const { start, end } of parts) {
        this.#request(PARTS, "readwrite", (store) => store.delete(`${url}|${start}|${end}`)).catch(() => null);
      }
    }
  }

  #note(url, part) {
    if (!this.#parts.has(url)) this.#parts.set(url, []);
    this.#parts.get(url).push(part);
  }

  #insert(url, part) {
    this.#note(url, part);
    this.#parts.get(url).sort((a, b) => a.start - b.start);
  }

  #readPart(url, { start, end }) {
    return this.#request(PARTS, "readonly", (store) => store.get(`${url}|${start}|${end}`)).catch(() => null);
  }

  #keepPart(url, start, end, bytes) {
    // Whoever wants it before it is written has it from here.
    const part = { start, end, bytes };
    this.#insert(url, part);
    this.#unwritten.push({ url, part });
    this.#writeParts();
  }

  /** Many come at once: those that came while others were written are written together, so that a page that is left soon
   * has kept them. */
  async #writeParts() {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#unwritten.length > 0) {
      const batch = this.#unwritten.splice(0);
      const put = (store) => batch.map(({ url, part: { start, end, bytes } }) => store.put(bytes, `${url}|${start}|${end}`)).at(-1);
      const isKept = (await this.#try(PARTS, put, `${batch.length} parts of paks`)) === null;
      for (const { url, part } of batch) {
        if (isKept) delete part.bytes;
        else this.#parts.set(url, this.#parts.get(url).filter((other) => other !== part));
      }
    }
    this.#isWriting = false;
  }

  async #write(store, key, value) {
    return (await this.#tryWrite(store, key, value)) === null;
  }

  /** Why it was not written; null if it was. */
  #tryWrite(store, key, value) {
    return this.#try(store, (opened) => opened.put(value, key), key);
  }

  async #try(store, put, what) {
    if (!this.#database) return "this browser keeps nothing";
    try {
      await this.#request(store, "readwrite", put);
      return null;
    } catch (error) {
      console.warn(`The browser does not keep ${what}:`, error);
      return error?.name === "QuotaExceededError" ? "the browser has no room for it" : (error?.message ?? String(error));
    }
  }

  #request(store, mode, ask) {
    if (!this.#database) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(store, mode, { durability: "relaxed" });
      const request = ask(transaction.objectStore(store));
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        if (mode === "readonly" || !transaction.commit) return resolve(request.result);
        // A full disk may show only at the end.
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
        transaction.commit();
      };
    });
  }
}

function keyOfFetched({ store, game, name }) {
  return `${store}|${game}/${name}`;
}

function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 2);
    request.onupgradeneeded = () => {
      for (const name of [PARTS, DROPPED, FETCHED]) {
        if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
      }
    };
    request.onblocked = () => reject(new Error("another tab plays with an older version of this page"));
    request.onsuccess = () => {
      // A newer version of the page in another tab does not wait for this one.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

/** A pak of the relay, with the smaller one that it made of it; those that it fetched for a server are used where they belong. */
function ofRelay(game, { name, bytes, url, fetched, directory, light }) {
  const source = { game, name, size: bytes, root: 0, url: new URL(url, document.baseURI).href, directory };
  if (light) source.light = { game, name, size: light.bytes, root: 0, url: new URL(light.url, document.baseURI).href, directory: light.directory };
  return fetched ? { ...source, store: RELAY_STORE } : source;
}

/** The pak that comes with the page. */
function ofArena(arena) {
  return { game: "strafe", name: "strafe.pk3", size: arena.bytes, root: 0, url: new URL(arena.name, document.baseURI).href, isOwn: true, about: arena };
}

/** All paks, and the first files of what will be played. */
async function listContent(list, { server, map, isExact }) {
  if (!list) return NOTHING;
  const wish = new URLSearchParams(server ? { server } : map ? { map } : {});
  const answer = await fetch([list, ...(String(wish) && list === RELAY_LIST ? [wish] : [])].join("?"));
  if (answer.status === 404) return NOTHING; // a page for relays on a plain host: it has its own pak
  if (!answer.ok) throw new Error(`${location.host} answers ${answer.status} for its list of game files`);
  const { games, first = [] } = await answer.json();
  const paks = games.flatMap(({ name: game, paks }) => paks.map((pak) => ofRelay(game, pak)));
  // A plain host lists those of all maps.
  const maps = first.filter((entry) => (server ? entry.map : entry.map === map));
  const isNeeded = (entry) => maps.some(({ game }) => game === entry.game) && (!entry.map || maps.includes(entry));
  const isOfUse = globalThis.DecompressionStream && !isExact;
  return { paks, first: isOfUse ? first.filter(isNeeded).map(({ url, bytes }) => ({ url: new URL(url, document.baseURI).href, bytes })) : [] };
}

/** Changes with the paks that a first file is made of; nothing for what is none. */
function versionOfFirst(url) {
  const { pathname, searchParams } = new URL(url);
  return pathname.includes("/first/") ? searchParams.get("v")?.split("-")[0] : undefined;
}

/** Gives up where nothing of it arrives for a while: all that it holds can be had part by part. */
function fetchFirst(url, bytes) {
  const silence = new AbortController();
  return withPatience(async () => {
    let gotBytes = 0;
    let timer;
    const expectMore = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(new Error(`nothing more arrives of ${url}`)), MAX_SILENCE_MSEC);
    };
    const counter = new TransformStream({
      transform(chunk, controller) {
        expectMore();
        gotBytes += chunk.byteLength;
        figures.firstGotBytes += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
    figures.firstBytes += bytes;
    expectMore();
    try {
      const answer = await fetch(url, { cache: "no-store", signal: silence.signal });
      if (!answer.ok) throw new Error(`${new URL(url).host} answers ${answer.status} for ${url}`);
      const file = await new Response(answer.body.pipeThrough(counter)).arrayBuffer();
      expectSize({ name: url }, file, bytes);
      figures.fetchedBytes += bytes;
      return file;
    } catch (error) {
      // Nobody waits for it any more.
      figures.firstBytes -= bytes;
      figures.firstGotBytes -= gotBytes;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }, silence.signal);
}

/** The parts of a first file, see `relay/src/content/first.rs`. */
async function readFirst(file, sources) {
  const size = new DataView(file).getUint32(0, true);
  const { paks, parts } = JSON.parse(UTF8.decode(new Uint8Array(file, 4, size)));
  const found = paks.map(([game, name, isLight]) => {
    const pak = sources.find((one) => one.game === game && one.name === name && one.url && !one.store && one.lightens === undefined);
    return isLight ? sources.find((one) => pak && one.lightens === pak.id) : pak;
  });
  let at = 4 + size;
  const all = parts.map(async ([number, start, end, sent, same]) => {
    const bytes = new Uint8Array(file, at, sent);
    at += sent;
    const missing = end - start - sent;
    const part = same !== undefined ? joined(bytes, new Uint8Array(file, 4 + size + same, missing)) : missing > 0 ? await unpacked(bytes) : bytes;
    return { source: found[number], start, end, part };
  });
  const isWhole = ({ source, start, end, part }) => source && part.byteLength === end - start && end <= source.size;
  return (await Promise.all(all)).filter(isWhole);
}

function joined(a, b) {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Fetches a large file of the page. Many static hosts pack nothing, or not such files; a site has it in a packed form for
 * them, which the page unpacks. Gives the answer, its name, how many bytes its body has and how many are sent, and what
 * unpacks the body.
 */
export async function fetchLarge({ name, bytes, sentBytes, packed }, options) {
  const find = (name) => fetch(new URL(name, document.baseURI), options);
  const isHere = packed && globalThis.DecompressionStream;
  const plain = isHere ? await find(name).catch(() => null) : await find(name);
  if (!isHere || plain?.headers.has("Content-Encoding")) return { answer: plain, name, bytes, sentBytes, unpack: (stream) => stream };
  plain?.body?.cancel();
  return {
    answer: await find(packed.name),
    name: packed.name,
    bytes: packed.bytes,
    sentBytes: packed.bytes,
    unpack: (stream) => stream.pipeThrough(new DecompressionStream("gzip")),
  };
}

function fetchWhole(source) {
  return withPatience(async () => {
    const { answer, sentBytes, unpack } = await fetchLarge(source.about, { cache: "no-store" });
    if (answer.status !== 200) throw new Error(`${source.name}: ${new URL(source.url).host} answers ${answer.status}`);
    const bytes = await new Response(unpack(answer.body)).arrayBuffer();
    expectSize(source, bytes, source.size);
    figures.fetchedBytes += sentBytes;
    return bytes;
  });
}

/** Gives null where a host that knows no parts and packs nothing has the page's own pak in a smaller form. */
function fetchPart(source, start, end) {
  return withPatience(async () => {
    // What we keep ourselves need not lie in the browser's own cache as well.
    const answer = await fetch(source.url, { headers: { Range: `bytes=${start}-${end - 1}` }, cache: "no-store" });
    // Hosts that know no parts send the page's own pak whole.
    const isWhole = source.isOwn && answer.status === 200;
    if (isWhole && source.about.packed && !answer.headers.has("Content-Encoding")) {
      answer.body?.cancel();
      return null;
    }
    if (answer.status !== 206 && !isWhole) throw new Error(`${source.name}: ${new URL(source.url).host} answers ${answer.status} instead of a part`);
    const bytes = await answer.arrayBuffer();
    expectSize(source, bytes, isWhole ? source.size : end - start);
    figures.fetchedBytes += bytes.byteLength;
    return bytes;
  });
}

function expectSize({ name }, { byteLength }, expected) {
  if (byteLength !== expected) throw new Error(`${name}: ${byteLength} bytes came, ${expected} were asked for`);
}

async function withPatience(ask, signal) {
  for (let attempt = 1; ; attempt++) {
    try {
      figures.requests++;
      return await ask();
    } catch (error) {
      if (attempt === TRIES || signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}
