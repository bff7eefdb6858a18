#!/usr/bin/env node
// A whole client of the mancala server: plays random legal moves until a match is over.
//
//   npm install ws
//   node client.mjs --game urim                       makes a match, says how to join it
//   node client.mjs --clock '{"type": "fischer", "initial": 300, "increment": 5}'
//   node client.mjs --join k3J9sPq0Zx --secret ..     takes its free seat
//   node client.mjs --watch k3J9sPq0Zx                watches it, without a token
//
// It knows no rules. The server says what is legal and how the seeds moved; this client moves
// them, and compares its checksum with the server's after every event. All but `main` runs in
// browsers too.

const Socket = globalThis.WebSocket ?? (await import("ws")).WebSocket;
const webcrypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
const OTHER = { south: "north", north: "south" };
const COME_BACK = ["shutting_down", "too_slow", "too_fast", "storage_unavailable", "internal"];
const TRY_AGAIN = ["busy", "storage_unavailable", "shutting_down", "too_fast"];
const LEAVES_OFFER = ["seated", "signed", "resumed", "counted", "gone", "back", "team"];
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** GETs a path, or POSTs a body to it. */
export async function rest(server, path, body, token) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": webcrypto.randomUUID() };
  if (token) headers.Authorization = `Bearer ${token}`;
  const method = body ? "POST" : "GET";
  const answer = await fetch(server + path, { method, headers, body: body && JSON.stringify(body) });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${json.code}: ${json.detail}`);
  return json;
}

// The board.

function crc32(text) {
  let crc = -1;
  for (const letter of text) {
    crc ^= letter.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}

export function checksum({ pits, stores, to_move }) {
  return crc32([pits.south, pits.north, [stores.south, stores.north], to_move].join("|"));
}

function sow(pits, step, side, rows) {
  let [pit, seeds] = step.lap;
  if (!step.held) pits[side][pit] -= seeds;
  const passed = (step.passed ?? []).map(String);
  for (let fallen = 0; fallen < (step.sown ?? seeds); ) {
    const size = pits[side].length;
    pit += step.reverse ? -1 : 1;
    if (pit < 0 || pit === size) {
      pit = (pit + size) % size;
      if (rows === 1) side = OTHER[side];
    }
    if (passed.includes(String([fallen, side, pit]))) continue;
    pits[side][pit]++;
    fallen++;
  }
}

function moveSeeds(position, step, mover, rows) {
  const { pits, stores } = position;
  if ("lap" in step) {
    sow(pits, step, step.side ?? mover, rows);
  } else if ("capture" in step) {
    for (const [pit, seeds] of step.capture) {
      pits[step.from ?? OTHER[mover]][pit] -= seeds;
      if (!step.hand) stores[step.by ?? mover] += seeds;
    }
  } else if ("strip" in step) {
    for (const [pit, seeds] of step.strip) {
      pits[OTHER[mover]][pit] -= seeds;
      stores[mover] += seeds;
    }
  } else if ("koneeza" in step) {
    pits[mover][step.koneeza] = 0;
    for (const [pit, seeds] of step.drops) pits[mover][pit] += seeds;
  } else if ("arrange" in step) {
    pits[mover] = [...step.arrange];
  } else if ("sweep" in step) {
    if (step.sweep in pits) pits[step.sweep].fill(0);
    if (step.to) stores[step.to] += step.seeds;
  } else if ("pits" in step) {
    Object.assign(position, { pits: step.pits, stores: step.stores });
  }
}

// The match.

/** Adds up what an event did to the clocks, and notes whose clock runs now. */
function changeClocks({ clocks, position }, { kind, clock }) {
  for (const side of ["south", "north"]) {
    const { ledger } = clocks[side];
    for (const [why, value] of Object.entries(clock[side] ?? {})) {
      if (why === "periods") {
        clocks[side].periods = value;
      } else {
        clocks[side].ms += value;
        ledger[why] = (ledger[why] ?? 0) + value;
      }
    }
  }
  delete clocks.due_ms;
  if (kind === "time_given") return;
  clocks.elapsed_ms = 0;
  if (clock.stands) delete clocks.running;
  else clocks.running = position.to_move;
}

/** What each kind of event does to the view of a match. */
const CHANGES = {
  seated: (view, { side, player }) => (view.players[side] = player),
  signed: (view, { side }) => (view.signed[side] = true),
  game_began(view, { game: game_number, position, clocks }) {
    Object.assign(view, { stage: "playing", game_number, position }, clocks && { clocks });
    delete view.count;
  },
  acted(view, event) {
    const { position } = view;
    if (position.turn !== event.turn || position.to_move !== event.to_move) delete view.count;
    const rows = ["anywoli", "urim"].includes(view.game) ? 1 : 2;
    for (const step of event.trace) moveSeeds(position, step, event.side ?? event.to_move, rows);
    position.phase = event.phase ?? { kind: "play" };
    for (const field of ["to_move", "turn", "quiet", "captured", "captures", "last_seed"]) {
      if (field in event) position[field] = event[field];
    }
  },
  taken_back(view, { position }) {
    view.position = position;
    delete view.count;
  },
  offered: (view, { side, offer, due }) => (view.offer = { side, offer, due }),
  paused: (view, { why }) => (view.pause = why),
  resumed: (view) => delete view.pause,
  game_ended: (view) => delete view.pause,
  counted: (view, { count }) => (view.count = count),
  gone: (view, { side, how, grace_ms }) => ((view.away ??= {})[side] = { how, grace_ms }),
  back: (view, { side }) => delete view.away[side],
  match_ended(view, { winner, reason, note }) {
    const ended = { winner, reason, ...(note !== undefined && { note }) };
    Object.assign(view, { stage: "over", ended });
    for (const field of ["pause", "count", "away"]) delete view[field];
    if (view.clocks) delete view.clocks.running;
  },
  rematched: (view, { next }) => (view.rematch = next),
};

/** Carries an event into the view of a match. */
export function takeIn(view, event) {
  if (event.seq !== view.seq + 1) throw new Error("an event is missing"); // the next join brings it
  view.seq = event.seq;
  if (!LEAVES_OFFER.includes(event.kind)) delete view.offer;
  if ("number" in event) view.next_number = event.number + 1;
  if ("score" in event) view.score = event.score;
  CHANGES[event.kind]?.(view, event); // a kind that is not known here changes nothing else
  if ("clock" in event) changeClocks(view, event);
  if ("checksum" in event && checksum(view.position) !== event.checksum) {
    throw Object.assign(new Error(`the checksum of event ${event.seq} is another one`), { fatal: true });
  }
}

const any = (list) => list[Math.floor(Math.random() * list.length)];

/** Any legal action. Strips and arrangements are too many to be listed. */
function choose(legal, view) {
  if (legal.actions.length) return any(legal.actions);
  if (legal.phase === "arrange") return { type: "arrange", pits: Array(16).fill(2) };
  const left = [...view.position.pits[OTHER[view.position.to_move]]];
  const taken = new Map();
  for (let due = view.position.phase.seeds; due > 0; due--) {
    const pit = any([...left.keys()].filter((pit) => left[pit] > 0));
    left[pit]--;
    taken.set(pit, (taken.get(pit) ?? 0) + 1);
  }
  return { type: "strip", take: [...taken] };
}

/** One socket, until it is closed. `state` is what outlives it. */
function connectOnce(server, state) {
  return new Promise((resolve, reject) => {
    const socket = new Socket(server.replace("http", "ws") + "/ws", ["mancala.v1"]);
    const say = (message) => socket.send(JSON.stringify(message));
    const { match, token, view } = state;
    socket.onopen = () => {
      say({ type: "hello", client: "example/1.0", ...(token && { token }) });
      say({ type: "join", match, ...(view && { since: view.seq }) });
      // With its old key: it is done once, however often it is sent.
      if (state.pending) say(state.pending);
    };
    socket.onmessage = ({ data }) => {
      if (socket.readyState !== 1) return; // what comes after we have closed comes again later
      try {
        hear(state, JSON.parse(data), say);
      } catch (error) {
        if (error.fatal) reject(error);
        else console.error("leave the socket:", error.message);
        socket.close();
      }
      if (state.view?.stage === "over") socket.close();
    };
    socket.onerror = ({ message }) => console.error("lost the socket:", message ?? "");
    socket.onclose = () => resolve();
  });
}

function hear(state, message, say) {
  state.pause = 0;
  if (message.type === "joined") {
    state.role = message.role;
    state.view = message.view ?? state.view;
  } else if (message.type === "event") takeIn(state.view, message);
  else if (message.type === "legal") state.legal = message;
  else if (message.type === "done") state.pending = undefined;
  else if (message.type === "refused") {
    console.error("refused:", message.code, message.message);
    if (TRY_AGAIN.includes(message.code)) {
      state.pause = 1;
      throw new Error(message.code);
    }
    // Without an id it is not about a command: the match cannot be joined.
    if (!message.id) throw Object.assign(new Error(message.message), { fatal: true });
    state.pending = undefined;
  } else if (message.type === "bye" && !COME_BACK.includes(message.code)) {
    throw Object.assign(new Error(message.message), { fatal: true });
  }
  const { legal, view, match, role } = state;
  if (!view || state.pending) return;
  let what;
  if (view.stage === "gathering" && view.signed?.[role] === false) {
    what = { type: "ask", what: "sign" };
  } else if (legal?.number === view.next_number && !view.pause) {
    what = { type: "act", number: legal.number, actions: [choose(legal, view)] };
    state.legal = undefined;
  }
  if (!what) return;
  state.pending = { ...what, id: ++state.acts, match, key: webcrypto.randomUUID() };
  say(state.pending);
  if (state.cut && state.acts % state.cut === 0) throw new Error("cut, as asked for");
}

/** Plays, or watches, a match to its end. Comes back when the socket is lost. */
export async function play(server, { match, token, cut = 0 }) {
  const state = { match, token, cut, acts: 0, pause: 0 };
  while (state.view?.stage !== "over") {
    await sleep(state.pause);
    state.pause = Math.min(2 * state.pause + 0.5, 30);
    await connectOnce(server, state);
  }
  return state.view;
}

async function main() {
  const { parseArgs } = await import("node:util");
  const text = { type: "string" };
  const options = { game: text, options: text, format: text, join: text, secret: text, watch: text };
  Object.assign(options, { clock: text, way: text });
  options.server = { ...text, default: "http://127.0.0.1:7070" };
  options.cut = { ...text, default: "0" }; // lose the socket at every so many moves
  const { values } = parseArgs({ options });
  const server = values.server.replace(/\/$/, "");
  const { secret } = values;
  let match = values.watch;
  const token = match ? undefined : (await rest(server, "/api/v1/guests", {})).token;
  if (values.join) {
    match = values.join;
    const { players } = await rest(server, `/api/v1/matches/${match}`);
    const side = Object.keys(players).find((side) => !players[side]) ?? "south";
    await rest(server, `/api/v1/matches/${match}/seats`, { side, secret }, token);
  } else if (!match) {
    const { game = "urim", format, way } = values;
    const [options, clock] = [values.options, values.clock].map((json) => json && JSON.parse(json));
    const wanted = { game, options, format, clock, way, seat: "south" };
    ({ match } = (await rest(server, "/api/v1/matches", wanted, token)).view);
    console.log(`made match ${match}; another one joins with --join ${match}`);
  }
  const view = await play(server, { match, token, cut: Number(values.cut) });
  const { seq, score, ended, position, clocks } = view;
  if (clocks) console.error({ south: clocks.south.ms, north: clocks.north.ms }, "ms left");
  console.log(JSON.stringify({ match, seq, score, ended, checksum: position ? checksum(position) : null }));
}

// Run by itself, and not imported by a page or another program.
if (globalThis.process?.argv[1]?.endsWith("client.mjs")) {
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
