#!/usr/bin/env python3
"""A member of a team: proposes, votes and plays at random until a match of teams is over.

    python3 team.py --make vote --seats 2               makes a match of teams, and joins south
    python3 team.py --join k3J9sPq0Zx --side north      joins a team of it

What is no business of teams it has from client.py, which stands beside it.
"""
import argparse, json, random, sys, time, uuid

from client import COME_BACK, OTHER, TRY_AGAIN, checksum, choose, rest, take_in
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

NEW_DECISION = {"game_began", "acted", "taken_back", "paused", "resumed", "match_ended"}
TELLS_TURN = {"game_began", "acted", "taken_back", "team"}


# Who is in a team.


def is_called(number):
    return lambda person: person is not None and person["number"] == number


def take_waiting(team, number):
    waiting = team.setdefault("waiting", [])
    found = next(filter(is_called(number), waiting))
    waiting.remove(found)
    return found


def stand_in(team, what):
    person = take_waiting(team, what["number"])
    for place, seat in enumerate(team["members"]):
        if seat["number"] == what["member"]:
            holder = seat.pop("stands_in_for", None)
            team["members"][place] = {**person, "stands_in_for": holder or seat}
            if holder:
                team["waiting"].append(seat)


def hand_back(team, number):
    for place, seat in enumerate(team["members"]):
        if is_called(number)(seat.get("stands_in_for")):
            team["members"][place] = seat.pop("stands_in_for")
            team.setdefault("waiting", []).insert(0, seat)


def leave(team, number):
    team["waiting"] = [person for person in team.get("waiting", []) if person["number"] != number]
    for seat in team["members"]:
        if is_called(number)(seat.get("stands_in_for")):
            seat.pop("stands_in_for")
    seats = [seat.get("stands_in_for") if seat["number"] == number else seat for seat in team["members"]]
    team["members"] = [seat for seat in seats if seat]


def everybody(team):
    for seat in team["members"]:
        yield seat
        if "stands_in_for" in seat:
            yield seat["stands_in_for"]
    yield from team.get("waiting", [])


def set_absent(team, number, absent):
    for person in filter(is_called(number), everybody(team)):
        person.pop("absent", None)
        person.update({"absent": True} if absent else {})


def change_team(team, what):
    """Carries what happened in a team, as everybody is told, into its view."""
    kind, number = what["type"], what.get("number")
    if kind in ("came", "waits"):
        person = {"number": number, "name": what["name"]}
        team["members"].append(person) if kind == "came" else team.setdefault("waiting", []).append(person)
    elif kind == "sat":
        team["members"].append(take_waiting(team, number))
    elif kind == "left":
        leave(team, number)
    elif kind == "stood_in":
        stand_in(team, what)
    elif kind == "handed_back":
        hand_back(team, what["holder"])
    elif kind == "ordered":
        team["members"].sort(key=lambda seat: what["members"].index(seat["number"]))
    elif kind in ("absent", "present"):
        set_absent(team, number, kind == "absent")
    elif kind in ("ready", "published"):
        team[kind] = True


def put(holder, field, source):
    """What is told with an event counts, and so does that it is left out."""
    holder.pop(field, None)
    holder.update({field: source[field]} if field in source else {})


# What the team deliberates on.


def deliberate(council, event):
    """Carries an event for the team alone into what it deliberates on."""
    if event["seq"] != council["seq"] + 1:
        raise ConnectionError("an event for the team is missing")  # the next join brings it
    council["seq"], what = event["seq"], event["what"]
    if what["type"] == "proposed":
        council["proposals"].append(what)
    elif what["type"] == "voted":
        council["votes"] = [vote for vote in council["votes"] if vote["member"] != what["member"]]
        council["votes"].append(what)
    elif what["type"] == "window_closed":
        council["window_over"] = True
    elif what["type"] == "backed":
        council["backed"].append(what)


def follow(view, mine, event):
    """Carries an event into the view of a match of teams, and into the council of one's own."""
    council = mine.get("council")
    if "only" in event:
        deliberate(council, event)
        return
    take_in(view, event)
    if event["kind"] in TELLS_TURN:
        put(view["teams"], "at_turn", event)
    if event["kind"] == "team":
        team = view["teams"][event["side"]]
        change_team(team, event["what"])
        put(team, "captain", event)
    if council and event["kind"] in NEW_DECISION:
        council.update(proposals=[], votes=[], backed=[])
        council.pop("window_over", None)
    if council:
        members = {seat["number"] for seat in view["teams"][mine["side"]]["members"]}
        for field in ("votes", "backed"):
            council[field] = [one for one in council[field] if one["member"] in members]


def decide(view, mine, legal):
    """What this member does for the action that is due, if anything."""
    teams, number, council = view["teams"], mine["number"], mine["council"]
    way = teams["decides"]["type"]
    may_act = {"first": True, "captain": teams[mine["side"]].get("captain") == number,
               "rotation": teams.get("at_turn") == number, "vote": False}[way]
    if may_act:
        return {"type": "act", "actions": [choose(legal, view)]}
    if way == "vote" and council["proposals"] and all(vote["member"] != number for vote in council["votes"]):
        return {"type": "vote", "proposal": random.randrange(len(council["proposals"]))}
    if way in ("vote", "captain") and not council["proposals"]:
        return {"type": "propose", "actions": [choose(legal, view)]}
    return None


def play(server, match, token, cut=0):
    """Plays in a team to the end of a match. Comes back when the socket is lost."""
    view = mine = pending = legal = None
    said, pause = 0, 0
    while view is None or view["stage"] != "over":
        time.sleep(pause)
        pause = min(2 * pause + 0.5, 30)
        try:
            with connect(server.replace("http", "ws", 1) + "/ws", subprotocols=["mancala.v1"]) as socket:
                say = lambda message: socket.send(json.dumps(message))
                say({"type": "hello", "client": "example-team/1.0", "token": token})
                say({"type": "join", "match": match, **({"since": view["seq"]} if view else {})})
                if pending:
                    say(pending)  # with its old key: it is done once, however often it is sent
                mine = {}  # what was for the team alone comes whole with `joined`
                while view is None or view["stage"] != "over":
                    message = json.loads(socket.recv())
                    kind, pause = message["type"], 0
                    if kind == "joined":
                        view, mine = message.get("view", view), message.get("team", {})
                    elif kind == "event":
                        follow(view, mine, message)
                    elif kind == "legal":
                        legal = message
                    elif kind == "done":
                        pending = None
                    elif kind == "refused":
                        # Often another member was quicker.
                        print("refused:", message["code"], message["message"], file=sys.stderr)
                        if message["code"] in TRY_AGAIN:
                            raise ConnectionError(message["code"])
                        if "id" not in message:
                            sys.exit(1)  # not about a command: the match cannot be joined
                        pending = None
                    elif kind == "bye" and message["code"] not in COME_BACK:
                        sys.exit(message["message"])
                    if pending or not legal or "council" not in mine or legal["number"] != view["next_number"]:
                        continue
                    what = decide(view, mine, legal)
                    if what:
                        said += 1
                        pending = {**what, "number": legal["number"], "id": said, "match": match,
                                   "key": str(uuid.uuid4())}
                        say(pending)
                        if cut and said % cut == 0:
                            raise ConnectionError("cut, as asked for")
        except (OSError, WebSocketException) as error:
            print("lost the socket:", error, file=sys.stderr)
    return view


def main():
    parser = argparse.ArgumentParser(description="Plays at random in a team until a match is over.")
    parser.add_argument("--server", default="http://127.0.0.1:7070")
    parser.add_argument("--make", metavar="WAY", help="make a match: first, captain, rotation, vote")
    parser.add_argument("--seats", type=int, default=2, help="of each team, in the match to make")
    parser.add_argument("--columns", type=int, default=8, help="of the board of Nsolo to play on")
    parser.add_argument("--join", metavar="MATCH", help="join a team of this match")
    parser.add_argument("--side", default="south", help="the team to join")
    parser.add_argument("--secret", help="of the link to the match or to the side")
    parser.add_argument("--cut", type=int, default=0, help="lose the socket at every so many messages")
    args = parser.parse_args()
    server, match = args.server.rstrip("/"), args.join
    token = rest(server, "/api/v1/guests", {})["token"]
    if not match:
        way = args.make or "captain"
        decides = {"type": way, **({"window": 10} if way == "vote" else {})}
        teams = {"seats": {side: args.seats for side in OTHER}, "decides": decides, "grace": 5}
        wanted = {"game": "nsolo", "options": {"columns": args.columns}, "teams": teams}
        match = rest(server, "/api/v1/matches", wanted, token)["view"]["match"]
        print(f"made match {match}; others join with --join {match}", flush=True)
    seat = {"side": args.side, **({"secret": args.secret} if args.secret else {})}
    rest(server, f"/api/v1/matches/{match}/seats", seat, token)
    view = play(server, match, token, args.cut)
    members = {side: [seat["name"] for seat in view["teams"][side]["members"]] for side in OTHER}
    print(json.dumps({"match": match, "seq": view["seq"], "score": view["score"], "ended": view["ended"],
                      "members": members, "checksum": checksum(view["position"])}))


if __name__ == "__main__":
    main()
