#!/usr/bin/env python3
"""A whole client of the mancala server: plays random legal moves until a match is over.

    pip install websockets
    python3 client.py --game urim                       makes a match, says how to join it
    python3 client.py --clock '{"type": "fischer", "initial": 300, "increment": 5}'
    python3 client.py --join k3J9sPq0Zx --secret ..     takes its free seat
    python3 client.py --watch k3J9sPq0Zx                watches it, without a token

It knows no rules. The server says what is legal and how the seeds moved; this client moves
them, and compares its checksum with the server's after every event.
"""
import argparse, json, random, sys, time, urllib.request, uuid, zlib

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

OTHER = {"south": "north", "north": "south"}
COME_BACK = {"shutting_down", "too_slow", "too_fast", "storage_unavailable", "internal"}
TRY_AGAIN = {"busy", "storage_unavailable", "shutting_down", "too_fast"}
LEAVES_OFFER = {"seated", "signed", "resumed", "counted", "gone", "back", "team"}


def rest(server, path, body=None, token=None):
    """GETs a path, or POSTs a body to it."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    if token:
        headers["Authorization"] = "Bearer " + token
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(server + path, data, headers)) as answer:
        return json.load(answer)


# The board.


def checksum(position):
    numbers = lambda seeds: ",".join(map(str, seeds))
    pits, stores = position["pits"], position["stores"]
    both = numbers([stores["south"], stores["north"]])
    text = "|".join([numbers(pits["south"]), numbers(pits["north"]), both, position["to_move"]])
    return f"{zlib.crc32(text.encode()):08x}"


def sow(pits, step, side, rows):
    pit, seeds, _ = step["lap"]
    back = step.get("reverse", False)
    if not step.get("held", False):
        pits[side][pit] -= seeds
    fallen = 0
    while fallen < step.get("sown", seeds):
        pit += -1 if back else 1
        if pit in (-1, len(pits[side])):
            pit %= len(pits[side])
            side = OTHER[side] if rows == 1 else side
        if [fallen, side, pit] not in step.get("passed", []):
            pits[side][pit] += 1
            fallen += 1


def move_seeds(position, step, mover, rows):
    pits, stores = position["pits"], position["stores"]
    if "lap" in step:
        sow(pits, step, step.get("side", mover), rows)
    elif "capture" in step:
        for pit, seeds in step["capture"]:
            pits[step.get("from", OTHER[mover])][pit] -= seeds
            if not step.get("hand", False):
                stores[step.get("by", mover)] += seeds
    elif "strip" in step:
        for pit, seeds in step["strip"]:
            pits[OTHER[mover]][pit] -= seeds
            stores[mover] += seeds
    elif "koneeza" in step:
        pits[mover][step["koneeza"]] = 0
        for pit, seeds in step["drops"]:
            pits[mover][pit] += seeds
    elif "arrange" in step:
        pits[mover] = list(step["arrange"])
    elif "sweep" in step:
        if step["sweep"] in pits:
            pits[step["sweep"]] = [0] * len(pits[step["sweep"]])
        if "to" in step:
            stores[step["to"]] += step["seeds"]
    elif "pits" in step:
        position["pits"], position["stores"] = step["pits"], step["stores"]


# The match.


def change_clocks(view, event):
    """Adds up what an event did to the clocks, and notes whose clock runs now."""
    clocks, change = view["clocks"], event["clock"]
    for side in OTHER:
        for why, value in change.get(side, {}).items():
            if why == "periods":
                clocks[side]["periods"] = value
            else:
                clocks[side]["ms"] += value
                ledger = clocks[side]["ledger"]
                ledger[why] = ledger.get(why, 0) + value
    clocks.pop("due_ms", None)
    if event["kind"] != "time_given":
        clocks["elapsed_ms"] = 0
        clocks["running"] = view["position"]["to_move"]
        if change.get("stands"):
            clocks.pop("running")


def take_in(view, event):
    """Carries an event into the view of a match."""
    if event["seq"] != view["seq"] + 1:
        raise ConnectionError("an event is missing")  # the next join brings it
    view["seq"], kind = event["seq"], event["kind"]
    if kind not in LEAVES_OFFER:
        view.pop("offer", None)
    if "number" in event:
        view["next_number"] = event["number"] + 1
    if "score" in event:
        view["score"] = event["score"]
    side = event.get("side")
    if kind == "seated":
        view["players"][side] = event["player"]
    elif kind == "signed":
        view["signed"][side] = True
    elif kind == "game_began":
        view.update(stage="playing", game_number=event["game"], position=event["position"])
        view.update({"clocks": event["clocks"]} if "clocks" in event else {})
        view.pop("count", None)
    elif kind == "acted":
        position = view["position"]
        if (position["turn"], position["to_move"]) != (event["turn"], event["to_move"]):
            view.pop("count", None)
        rows = 1 if view["game"] in ("anywoli", "urim") else 2
        for step in event["trace"]:
            move_seeds(position, step, event.get("side", event["to_move"]), rows)
        position["phase"] = event.get("phase", {"kind": "play"})
        for field in ("to_move", "turn", "quiet", "captured", "captures", "last_seed"):
            if field in event:
                position[field] = event[field]
    elif kind == "taken_back":
        view["position"] = event["position"]
        view.pop("count", None)
    elif kind == "offered":
        view["offer"] = {"side": side, "offer": event["offer"], "due": event["due"]}
    elif kind == "paused":
        view["pause"] = event["why"]
    elif kind in ("resumed", "game_ended"):
        view.pop("pause", None)
    elif kind == "counted":
        view["count"] = event["count"]
    elif kind == "gone":
        view.setdefault("away", {})[side] = {"how": event["how"], "grace_ms": event["grace_ms"]}
    elif kind == "back":
        view["away"].pop(side)
    elif kind == "match_ended":
        ended = {field: event[field] for field in ("winner", "reason", "note") if field in event}
        view.update(stage="over", ended=ended)
        for field in ("pause", "count", "away"):
            view.pop(field, None)
        view.get("clocks", {}).pop("running", None)
    elif kind == "rematched":
        view["rematch"] = event["next"]
    if "clock" in event:
        change_clocks(view, event)
    if "checksum" in event and checksum(view["position"]) != event["checksum"]:
        sys.exit(f"the checksum of event {event['seq']} is another one: {event}")


def choose(legal, view):
    """Any legal action. Strips and arrangements are too many to be listed."""
    if legal["actions"]:
        return random.choice(legal["actions"])
    if legal["phase"] == "arrange":
        return {"type": "arrange", "pits": [2] * 16}
    theirs = view["position"]["pits"][OTHER[view["position"]["to_move"]]]
    seeds = [pit for pit, held in enumerate(theirs) for _ in range(held)]
    taken = random.sample(seeds, view["position"]["phase"]["seeds"])
    return {"type": "strip", "take": [[pit, taken.count(pit)] for pit in sorted(set(taken))]}


def play(server, match, token=None, cut=0):
    """Plays, or watches, a match to its end. Comes back when the socket is lost."""
    view = pending = legal = None
    acts, pause, role = 0, 0, None
    while view is None or view["stage"] != "over":
        time.sleep(pause)
        pause = min(2 * pause + 0.5, 30)
        try:
            with connect(server.replace("http", "ws", 1) + "/ws", subprotocols=["mancala.v1"]) as socket:
                say = lambda message: socket.send(json.dumps(message))
                say({"type": "hello", "client": "example/1.0", **({"token": token} if token else {})})
                say({"type": "join", "match": match, **({"since": view["seq"]} if view else {})})
                if pending:
                    say(pending)  # with its old key: it is done once, however often it is sent
                while view is None or view["stage"] != "over":
                    message = json.loads(socket.recv())
                    kind, pause = message["type"], 0
                    if kind == "joined":
                        role, view = message["role"], message.get("view", view)
                    elif kind == "event":
                        take_in(view, message)
                    elif kind == "legal":
                        legal = message
                    elif kind == "done":
                        pending = None
                    elif kind == "refused":
                        print("refused:", message["code"], message["message"], file=sys.stderr)
                        if message["code"] in TRY_AGAIN:
                            pause = 1
                            raise ConnectionError(message["code"])
                        if "id" not in message:
                            sys.exit(1)  # not about a command: the match cannot be joined
                        pending = None
                    elif kind == "bye" and message["code"] not in COME_BACK:
                        sys.exit(message["message"])
                    what = None
                    if not view or pending:
                        continue
                    if view["stage"] == "gathering" and view.get("signed", {}).get(role) is False:
                        what = {"type": "ask", "what": "sign"}
                    elif legal and legal["number"] == view["next_number"] and "pause" not in view:
                        what = {"type": "act", "number": legal["number"], "actions": [choose(legal, view)]}
                        legal = None
                    if what:
                        acts += 1
                        pending = {**what, "id": acts, "match": match, "key": str(uuid.uuid4())}
                        say(pending)
                        if cut and acts % cut == 0:
                            raise ConnectionError("cut, as asked for")
        except (OSError, WebSocketException) as error:
            print("lost the socket:", error, file=sys.stderr)
    return view


def main():
    parser = argparse.ArgumentParser(description="Plays random legal moves until a match is over.")
    parser.add_argument("--server", default="http://127.0.0.1:7070")
    parser.add_argument("--game", default="urim", help="of the match to make")
    parser.add_argument("--options", type=json.loads, help="of the match to make, in JSON")
    parser.add_argument("--format", help="of the match to make: single, first_to 3")
    parser.add_argument("--clock", type=json.loads, help="of the match to make, in JSON")
    parser.add_argument("--way", help="of the match to make: counting, contract, blitz")
    parser.add_argument("--join", metavar="MATCH", help="take the free seat of this match")
    parser.add_argument("--secret", help="of the match to join, where it is by link")
    parser.add_argument("--watch", metavar="MATCH", help="watch this match")
    parser.add_argument("--cut", type=int, default=0, help="lose the socket at every so many moves")
    args = parser.parse_args()
    server, match, token = args.server.rstrip("/"), args.watch, None
    if not match:
        token = rest(server, "/api/v1/guests", {})["token"]
    if args.join:
        match = args.join
        players = rest(server, f"/api/v1/matches/{match}")["players"]
        free = next((side for side in players if players[side] is None), "south")
        seat = {"side": free, **({"secret": args.secret} if args.secret else {})}
        rest(server, f"/api/v1/matches/{match}/seats", seat, token)
    elif not match:
        wanted = {"game": args.game, "options": args.options, "format": args.format,
                  "clock": args.clock, "way": args.way, "seat": "south"}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        match = rest(server, "/api/v1/matches", wanted, token)["view"]["match"]
        print(f"made match {match}; another one joins with --join {match}", flush=True)
    view = play(server, match, token, args.cut)
    if "clocks" in view:
        print({side: view["clocks"][side]["ms"] for side in OTHER}, "ms left", file=sys.stderr)
    print(json.dumps({"match": match, "seq": view["seq"], "score": view["score"], "ended": view["ended"],
                      "checksum": checksum(view["position"]) if "position" in view else None}))


if __name__ == "__main__":
    main()
