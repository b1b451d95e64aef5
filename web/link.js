// The way to the game server: by WebTransport or WebSocket to the relay, and on where it broke.

/** How much longer than WebSocket's opening WebTransport may take: it is worth a short wait, for it never delivers late. */
const HEAD_START_MSEC = 300;
const OPENING_MSEC = 8000;
/** An attempt to come back; the next one follows at once or after a pause that grows. */
const ATTEMPT_MSEC = 4000;
const FIRST_PAUSE_MSEC = 250;
const LONGEST_PAUSE_MSEC = 2000;
/** So long after the last word of the relay we ask whether it is there, and so long it has for its answer. */
const SILENT_MSEC = 1500;
const ANSWER_MSEC = 1500;
const WATCH_MSEC = 250;
/** How often we ask how long the way takes. */
const TIMING_MSEC = 2000;
const GOODBYE_MSEC = 1000;
/** So long a page that begins anew waits for the relay's answer: what it holds back is lost when it is left at once. */
const FAREWELL_MSEC = 3000;
/** How long the relay keeps the place of a page that is loading again; who has left stands there as long. */
const AWAY_MSEC = 6000;
const RESUME_KEY = "strafe/resume";
/** A relay that stops may be back after this. */
const RESTART_MSEC = 1500;
/** Where WebTransport died it is tried again after this, and after twice as long each time it dies again. */
const BLOCKED_MSEC = 15_000;
const LONGEST_BLOCKED_MSEC = 600_000;
/** Who has just got back into the game by WebSocket stays there for a moment. */
const SETTLED_MSEC = 2000;
/** What may wait in the page; beyond it datagrams are dropped, for late ones help nobody. */
const MAX_WAITING_BYTES = 16_384;
const MAX_WAITING_DATAGRAMS = 4;
/** So many the browser takes at once. With one, as it is used to, each would wait for a turn of a page that draws. */
const MAX_IN_BROWSER = 16;
/** So many wait for a page that draws: a download's blocks come by the dozen, each useless without the one before. */
const MAX_COMING = 64;
const MAX_AGE_MSEC = 500;
const TEXT = 0x40; // before a text that goes as a datagram

/** Close codes of the relay, as its README lists them. */
const CODE = { stopping: 1001, broken: 1006, takenOver: 4007, unknownToken: 4008 };
const BROKEN = "the connection to the relay broke, or it could not be reached";

/** The relay has decided, instead of the line. */
const isVerdict = (code) => code >= 4000;

/** When WebTransport may be tried (again); the same for all ways of this page. */
const blocked = {
  until: 0,
  msec: BLOCKED_MSEC,
  note() {
    blocked.until = performance.now() + blocked.msec;
    blocked.msec = Math.min(2 * blocked.msec, LONGEST_BLOCKED_MSEC);
  },
  isOver: () => Boolean(globalThis.WebTransport) && performance.now() >= blocked.until,
};

/** What a `Link` does; while it is moving, its state is an object of that name with what it needs for that. */
const STATE = {
  joining: { name: "joining" }, // until the first path has opened
  carried: { name: "carried" }, // by its path
  over: { name: "over" },
};

/**
 * A player's way to one server for as long as the relay keeps their place.
 *
 * The listener hears `packet(bytes)` with a datagram, or with what came in one packet of WebTransport (`shared/src/net/split.rs`), `opened(transport)` once (or `resumed(transport, resumeState)` after a reload), `moved(transport)` whenever it went on over another
 * connection, `timed(relayMsec, serverMsec)` now and then: to the relay and back, and from there to the server and back (or null); `lost()` if the relay has forgotten us, so that one must join anew, and `closed(reason)`.
 * After the last two nothing follows.
 */
export class Link {
  /** The way that the page had before it was loaded again, being taken up. */
  static #left = null;

  /** Asks at once for the place that the page left when it was loaded again; its time is short. */
  static takeUp() {
    let saved = null;
    try {
      saved = JSON.parse(sessionStorage.getItem(RESUME_KEY));
      sessionStorage.removeItem(RESUME_KEY);
    } catch {
      // No storage, or nothing of ours in it: the game starts anew.
    }
    if (saved && Date.now() - saved.at < saved.awayMsec) Link.#left = new Link(saved.server, silent(), saved);
  }

  /** A new way, or the one that the page had before. */
  static open(server, listener) {
    const left = Link.#left;
    Link.#left = null;
    if (left?.#server !== server || left.#state === STATE.over) {
      left?.close();
      return new Link(server, listener);
    }
    left.#listener = listener;
    if (left.#path) listener.resumed(left.#path.name, left.#resumeState);
    return left;
  }

  #server;
  #listener;
  #state = STATE.joining;
  #path = null;
  #racers = new Set();
  #token = null;
  #holdMsec = 0;
  #deferredDisconnect = null;
  #heardAt = 0;
  #askedAt = null;
  #timing = { ping: 2, sentAt: -Infinity }; // the last question that measures how long the way takes
  #movedAt = -Infinity;
  #takenAt = 0;
  #better = null; // WebTransport, being opened while WebSocket carries the game
  #resumeState = null;
  #hasResumed = false;
  #watch = null;
  #farewell = Promise.resolve();
  /** Looks for another path at once, if we look for one. */
  #hurry = () => {
    if (this.#isMoving) this.#state.next = 0;
  };

  constructor(server, listener, saved = null) {
    this.#server = server;
    this.#listener = listener;
    addEventListener("online", this.#hurry);
    if (!saved) return this.#join();
    this.#token = saved.token;
    this.#holdMsec = saved.awayMsec;
    this.#resumeState = saved.resumeState;
    this.#watch = setInterval(() => this.#look(), WATCH_MSEC);
    this.#move("the page was loaded again");
  }

  get transport() {
    return this.#path?.name ?? "";
  }

  /** The secret of the place at the relay. */
  get token() {
    return this.#token;
  }

  /** Sends a datagram as the packets that the path of this moment takes. */
  send(packets) {
    this.#path?.send(packets);
  }

  /** Leaves a farewell with the relay, for when the page dies. */
  deposit(text) {
    this.#deferredDisconnect = text;
    this.#path?.say(text);
  }

  /** Leaves the place to the next run of the page, if that comes at once; false if there is none to leave. */
  setAside(resumeState) {
    if (!this.#token || this.#state === STATE.over) return false;
    const path = this.#path;
    // No word reaches the relay over a line that is broken just now: it keeps the place for as long as it may.
    const awayMsec = path ? AWAY_MSEC : this.#holdMsec;
    try {
      sessionStorage.setItem(RESUME_KEY, JSON.stringify({ server: this.#server, token: this.#token, resumeState, awayMsec, at: Date.now() }));
    } catch {
      return false;
    }
    this.#path = null;
    this.#end();
    path?.abandon(JSON.stringify({ hold_msec: awayMsec }));
    return true;
  }

  /** Leaves for good: the relay holds nothing. */
  close() {
    if (this.#state === STATE.over) return;
    const moving = this.#isMoving ? this.#state : null;
    // Any of them may have our place by now, though it has not told us yet.
    const ways = [this.#path, this.#better, moving?.path, ...this.#racers].filter(Boolean);
    if (moving && ways.length === 0) ways.push(new WebSocketPath({ server: this.#server, token: this.#token }, nobody));
    this.#state = STATE.over;
    this.#path = this.#better = null;
    this.#end();
    this.#farewell = Promise.all(ways.map((way) => way.leave()));
  }

  /** Until the relay has heard that we leave, if it hears that at all. */
  get left() {
    return Promise.race([this.#farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MSEC))]);
  }

  // ── Joining ────────────────────────────────────────────────────────────────

  #join() {
    const reasons = [];
    const start = performance.now();
    let waiting = null;
    const win = (path, said) => {
      clearTimeout(waiting?.timer);
      if (this.#state !== STATE.joining) return;
      this.#racers.delete(path);
      for (const loser of this.#racers) loser.leave();
      this.#racers.clear();
      this.#take(path, said);
      this.#listener.opened(path.name);
    };
    const give = (path, reason) => {
      this.#racers.delete(path);
      // What the relay itself says tells more than that something did not work.
      reasons[reason === BROKEN ? "push" : "unshift"](reason);
      if (path.name === "WebTransport") blocked.note();
      if (this.#state !== STATE.joining) return;
      if (waiting && this.#racers.size === 1) win(waiting.path, waiting.said);
      else if (this.#racers.size === 0) this.#close(reasons[0]);
    };
    const race = (Path) => {
      const path = new Path({ server: this.#server }, {
        opened: (said) => {
          if (this.#state !== STATE.joining) return path.leave();
          const others = [...this.#racers].filter((racer) => racer !== path);
          if (path.name === "WebTransport" || others.length === 0) return win(path, said);
          const patience = Math.max(HEAD_START_MSEC, performance.now() - start);
          waiting = { path, said, timer: setTimeout(() => win(path, said), patience) };
        },
        gone: (code, reason) => {
          if (path === this.#path) return this.#gone(path, code, reason);
          if (waiting?.path === path) {
            clearTimeout(waiting.timer);
            waiting = null;
          }
          give(path, reason);
        },
        datagram: (bytes) => this.#hear(path, bytes),
        text: (said) => this.#read(path, said),
      });
      this.#racers.add(path);
      setTimeout(() => this.#racers.has(path) && waiting?.path !== path && path.abandon(), OPENING_MSEC);
    };
    race(WebSocketPath);
    if (blocked.isOver()) race(WebTransportPath);
  }

  #take(path, said) {
    this.#path = path;
    this.#token = said.token;
    this.#holdMsec = said.hold_msec;
    this.#heardAt = this.#takenAt = performance.now();
    this.#askedAt = null;
    this.#state = STATE.carried;
    this.#watch ??= setInterval(() => this.#look(), WATCH_MSEC);
    // The relay learns by this that the token arrived.
    path.say(JSON.stringify({ ping: 0 }));
    if (this.#deferredDisconnect) path.say(this.#deferredDisconnect);
  }

  #hear(path, bytes) {
    if (path !== this.#path) return;
    this.#note();
    this.#listener.packet(bytes);
  }

  #read(path, said) {
    if (path !== this.#path) return;
    this.#note();
    if (said.notice) console.info(`relay: ${said.notice}`);
    if (said.coming !== undefined) this.#listener.coming(said.coming, said.pak && { game: said.game, ...said.pak });
    if (said.pong === this.#timing.ping) this.#listener.timed(performance.now() - this.#timing.sentAt, said.server_msec);
  }

  #note() {
    this.#heardAt = performance.now();
    this.#askedAt = null;
  }

  // ── Going on ───────────────────────────────────────────────────────────────

  /** Looks whether the relay is still there. */
  #look() {
    const now = performance.now();
    if (this.#isMoving) return this.#lookForAnother(now);
    if (this.#path.name === "WebSocket" && !this.#better && now - this.#takenAt > SETTLED_MSEC && blocked.isOver()) this.#improve();
    if (now - this.#timing.sentAt > TIMING_MSEC) {
      this.#timing = { ping: this.#timing.ping + 1, sentAt: now };
      this.#path.say(JSON.stringify({ ping: this.#timing.ping }));
    }
    if (now - this.#heardAt < SILENT_MSEC) return;
    if (this.#askedAt === null) {
      this.#askedAt = now;
      this.#path.say(JSON.stringify({ ping: 1 }));
    } else if (now - this.#askedAt > ANSWER_MSEC) {
      this.#move("the relay has fallen silent");
    }
  }

  #gone(path, code, reason) {
    if (this.#state === STATE.over) return;
    const now = performance.now();
    if (path.name === "WebTransport" && code === CODE.broken) blocked.note();
    this.#path = null;
    if (code === CODE.stopping) return this.#lose(RESTART_MSEC);
    // Our own attempt to move may have taken over, and its answer was lost.
    const isOwn = code === CODE.takenOver && now - this.#movedAt < OPENING_MSEC;
    if (isVerdict(code) && !isOwn) return this.#close(reason);
    // The better path may just be opening.
    this.#move(reason, this.#better ? ATTEMPT_MSEC : 0);
  }

  #move(reason, patience = 0) {
    if (this.#isMoving) return;
    const now = performance.now();
    this.#state = { name: "moving", since: now, reason, pause: FIRST_PAUSE_MSEC, next: now + patience, path: null };
    console.info(`${reason}; going on over another connection`);
    this.#lookForAnother(now);
  }

  get #isMoving() {
    return this.#state.name === "moving";
  }

  #lookForAnother(now) {
    const moving = this.#state;
    if (this.#path && this.#heardAt > moving.since) {
      // It was only a pause.
      this.#state = STATE.carried;
      moving.path?.abandon();
      return;
    }
    if (moving.path) {
      if (now - moving.begun > ATTEMPT_MSEC) moving.path.abandon();
      return;
    }
    if (now - moving.since > this.#holdMsec + OPENING_MSEC) return this.#close(moving.reason);
    if (now >= moving.next) this.#try(moving, now);
  }

  /** Goes over to WebTransport where it passes (again). */
  #improve() {
    this.#movedAt = performance.now();
    const path = new WebTransportPath({ server: this.#server, token: this.#token }, {
      opened: (said) => {
        if (this.#better !== path) return path.abandon();
        this.#better = null;
        const old = this.#path;
        const attempt = this.#state.path;
        this.#take(path, said);
        attempt?.abandon();
        old?.abandon();
        this.#listener.moved(path.name);
      },
      gone: (code, reason) => {
        if (path === this.#path) return this.#gone(path, code, reason);
        if (this.#better !== path) return;
        this.#better = null;
        blocked.note();
        this.#hurry();
      },
      datagram: (bytes) => this.#hear(path, bytes),
      text: (said) => this.#read(path, said),
    });
    this.#better = path;
    setTimeout(() => this.#better === path && path.abandon(), OPENING_MSEC);
  }

  /** Asks for our place over WebSocket, which passes wherever the page itself came through. */
  #try(moving, now) {
    moving.begun = now;
    this.#movedAt = now;
    const path = new WebSocketPath({ server: this.#server, token: this.#token }, {
      opened: (said) => {
        if (this.#state !== moving) return path.abandon();
        const old = this.#path;
        if (old?.name === "WebTransport") blocked.note();
        this.#take(path, said);
        old?.abandon();
        if (this.#resumeState === null || this.#hasResumed) return this.#listener.moved(path.name);
        this.#hasResumed = true;
        this.#listener.resumed(path.name, this.#resumeState);
      },
      gone: (code, reason) => {
        if (path === this.#path) return this.#gone(path, code, reason);
        if (this.#state !== moving) return;
        moving.path = null;
        if (code === CODE.unknownToken) return this.#lose(0);
        if (code === CODE.stopping) return this.#lose(RESTART_MSEC);
        if (isVerdict(code)) return this.#close(reason);
        moving.next = performance.now() + moving.pause;
        moving.pause = Math.min(2 * moving.pause, LONGEST_PAUSE_MSEC);
      },
      datagram: (bytes) => this.#hear(path, bytes),
      text: (said) => this.#read(path, said),
    });
    moving.path = path;
  }

  // ── The end ────────────────────────────────────────────────────────────────

  #end() {
    const unfinished = [this.#state.path, this.#better];
    this.#state = STATE.over;
    this.#better = null;
    clearInterval(this.#watch);
    removeEventListener("online", this.#hurry);
    for (const path of unfinished) path?.abandon();
  }

  #close(reason) {
    if (this.#state === STATE.over) return;
    this.#end();
    this.#path?.abandon();
    this.#path = null;
    this.#listener.closed(reason);
  }

  #lose(pauseMsec) {
    if (this.#state === STATE.over) return;
    this.#end();
    this.#path?.abandon();
    this.#path = null;
    this.#watch = setTimeout(() => this.#listener.lost(), pauseMsec);
  }
}

/** Hears nothing, until the client is there. */
const silent = () => ({ packet() {}, opened() {}, resumed() {}, moved() {}, timed() {}, lost() {}, coming() {}, closed() {} });

/** For who leaves and needs no answer. */
const nobody = { opened() {}, gone() {}, datagram() {}, text() {} };

/** Tells once when it opens and once when it is gone; a path that was given up tells nothing. */
class Path {
  #listener;
  #isOpen = false;
  #isGone = false;
  /** Called when the connection has ended. */
  ended = () => {};

  constructor(listener) {
    this.#listener = listener;
  }

  get isOpen() {
    return this.#isOpen && !this.#isGone;
  }

  get isGone() {
    return this.#isGone;
  }

  datagram(bytes) {
    if (this.isOpen) this.#listener.datagram(bytes);
  }

  /** A JSON object of the relay; the first says that it is open, or why not. */
  text(line) {
    let said;
    try {
      said = JSON.parse(line);
    } catch {
      return;
    }
    if (this.#isGone) return;
    if (said.close !== undefined) this.gone(said.code, said.close);
    else if (said.open === undefined) this.#listener.text(said);
    else {
      this.#isOpen = true;
      this.#listener.opened(said);
    }
  }

  gone(code, reason) {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#listener.gone(code, reason || (code === CODE.broken ? BROKEN : `the relay closed the connection (code ${code})`));
    this.release();
  }

  /** Gives it up, if need be with a last word; the relay holds our place. */
  abandon(lastWord) {
    if (this.#isGone) return;
    if (lastWord) this.sayLast(lastWord);
    this.gone(CODE.broken, BROKEN);
  }

  /** Says what must arrive although the connection ends now. */
  sayLast(text) {
    this.say(text);
  }

  /** Leaves by it: the relay gives our place away. The promise is kept when the connection has ended. */
  leave() {
    if (this.#isGone) return Promise.resolve();
    this.#isGone = true;
    return new Promise((resolve) => {
      this.ended = resolve;
      this.release(JSON.stringify({ bye: true }));
    });
  }
}

class WebSocketPath extends Path {
  name = "WebSocket";
  #socket;

  constructor({ server, token }, listener) {
    super(listener);
    const url = new URL("ws", document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    url.searchParams.set("server", server);
    this.#socket = new WebSocket(url, ["strafe.1", ...(token ? [`resume.${token}`] : [])]);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.onmessage = ({ data }) => (typeof data === "string" ? this.text(data) : this.datagram(new Uint8Array(data)));
    this.#socket.onclose = ({ code, reason }) => {
      this.ended();
      this.gone(code, reason);
    };
  }

  send(packets) {
    if (!this.isOpen || this.#socket.readyState !== WebSocket.OPEN || this.#socket.bufferedAmount >= MAX_WAITING_BYTES) return;
    for (const packet of packets) this.#socket.send(packet);
  }

  say(text) {
    if (this.isOpen && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  release(lastWord) {
    this.#socket.onmessage = null;
    const close = () => {
      if (lastWord && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(lastWord);
      this.#socket.close();
    };
    // One that is still opening hears the last word as soon as it can; its place must not be held.
    if (lastWord && this.#socket.readyState === WebSocket.CONNECTING) this.#socket.onopen = close;
    else close();
  }
}

class WebTransportPath extends Path {
  name = "WebTransport";
  #transport = null;
  #outbox = null;
  #texts = null;

  constructor(wish, listener) {
    super(listener);
    this.#open(wish).catch((error) => this.gone(CODE.broken, error.relaySays));
  }

  async #open({ server, token }) {
    const about = (await (await fetch("api/transport", { cache: "no-store" })).json()).webtransport;
    if (!about) throw new Error("the relay has no WebTransport");
    if (this.isGone) return;
    const url = new URL(`https://${about.host ?? location.hostname}:${about.port}${about.path}`);
    url.searchParams.set("server", server);
    if (token) url.searchParams.set("resume", token);
    const digits = about.certificate_sha256?.match(/../g);
    const pinned = digits && { serverCertificateHashes: [{ algorithm: "sha-256", value: Uint8Array.from(digits, (pair) => parseInt(pair, 16)) }] };
    this.#transport = new WebTransport(url, { ...pinned, congestionControl: "low-latency" });
    const gone = () => {
      this.ended();
      this.gone(CODE.broken);
    };
    this.#transport.closed.then(gone, gone);
    await this.#transport.ready;
    // Some browsers have the one, some the other.
    const { datagrams } = this.#transport;
    datagrams.outgoingMaxAge = MAX_AGE_MSEC;
    datagrams.outgoingHighWaterMark = MAX_IN_BROWSER;
    datagrams.incomingHighWaterMark = MAX_COMING;
    this.#outbox = new Outbox((datagrams.writable ?? datagrams.createWritable()).getWriter());
    const { value: stream } = await this.#transport.incomingBidirectionalStreams.getReader().read();
    if (!stream) throw new Error("the relay opened no stream");
    this.#texts = stream.writable.getWriter();
    if (this.isGone) return this.release(this.lastWord);
    this.#readDatagrams(datagrams.readable.getReader()).catch(() => this.gone(CODE.broken));
    await this.#readTexts(stream.readable.pipeThrough(new TextDecoderStream()).getReader());
    this.gone(CODE.broken);
  }

  async #readTexts(reader) {
    let line = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (line + value).split("\n");
      line = lines.pop();
      for (const whole of lines) this.text(whole);
    }
  }

  async #readDatagrams(reader) {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.datagram(value);
    }
  }

  send(packets) {
    if (this.isOpen) this.#outbox.send(packets);
  }

  say(text) {
    if (this.isOpen) this.#texts.write(new TextEncoder().encode(`${text}\n`)).catch(() => null);
  }

  /** Browsers throw away what waits in a stream when its connection is closed, but not datagrams. */
  sayLast(text) {
    super.sayLast(text);
    if (this.isOpen) this.#outbox.say(text);
  }

  release(lastWord) {
    this.lastWord = lastWord;
    const close = () => {
      try {
        this.#transport?.close();
      } catch {
        // It never opened or is closed already, which is what we want.
      }
    };
    if (!this.#transport) return this.ended();
    if (!lastWord) return close();
    // Still opening: the last word is said when there is a stream for it, which may never come.
    if (!this.#texts) return void setTimeout(close, OPENING_MSEC);
    // The relay answers it by ending the stream; until then what we sent before is still under way.
    this.#texts.write(new TextEncoder().encode(`${lastWord}\n`)).catch(() => null);
    // A page that is left at once, as by `quit`, ends before that.
    this.#outbox.say(lastWord);
    setTimeout(close, GOODBYE_MSEC);
  }
}

/**
 * What waits for the browser to send it: a few datagrams, and always the newest, for each usercmd packet repeats the
 * one before. A stream would keep the oldest.
 */
export class Outbox {
  #writer;
  #datagrams = [];
  #isWaiting = false;

  /** `writer` writes to WebTransport's datagrams. */
  constructor(writer) {
    this.#writer = writer;
  }

  /** A datagram's packets go together or not at all. */
  send(packets) {
    this.#datagrams.push(packets);
    this.#write();
    if (this.#datagrams.length > MAX_WAITING_DATAGRAMS) this.#datagrams.shift();
  }

  /** Writes a text for the relay. */
  say(text) {
    const packet = Uint8Array.of(TEXT, ...new TextEncoder().encode(text));
    this.#writer.write(packet).catch(() => null);
  }

  /** Writes what the browser takes now, and the rest when it takes more. */
  #write() {
    while (this.#datagrams.length > 0 && this.#writer.desiredSize > 0) {
      // A write fails when the connection is over, which its own end tells.
      for (const packet of this.#datagrams.shift()) this.#writer.write(packet).catch(() => null);
    }
    if (this.#datagrams.length === 0 || this.#isWaiting) return;
    this.#isWaiting = true;
    const go = () => {
      this.#isWaiting = false;
      this.#write();
    };
    this.#writer.ready.then(go, () => null);
  }
}

