import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatState, FileChange, FoundTurn, State } from "../src/generated/protocol";
import { detailBlocks, FoldedOnce } from "../src/pure/details";
import { Follower, lastTurn } from "../src/pure/follower";
import { kindOf, labelOf, neighbour, original } from "../src/pure/hunks";
import { groups } from "../src/pure/pastChats";
import { busy, chatToShow, details, statusText } from "../src/pure/summary";

function hunk(from: number, to: number, old: string, now: string): FileChange {
  const range = { start: { line: from, character: 0 }, end: { line: to, character: 0 } };
  return { id: `${from}`, range, old, new: now, edited: false, made: false, deleted: false };
}

test("chats in groups, each once", () => {
  const turn = (uri: string, day: string, pinned: boolean): FoundTurn => ({ uri, day, pinned, line: 0, title: uri, role: "You", excerpt: "" });
  const turns = [turn("p", "2026-01-01", true), turn("a", "2026-01-31", false), turn("a", "2026-01-30", false), turn("b", "2026-01-30", false), turn("p", "2026-01-31", false)];
  const named = groups(turns, "2026-01-31").map(({ name, chats }) => `${name}: ${chats.map(({ uri }) => uri).join(" ")}`);
  assert.deepEqual(named, ["Pinned: p", "Today: a", "Earlier: b"]);
  assert.deepEqual(groups([], "2026-01-31"), []);
});

test("a file without its hunks", () => {
  const hunks = [hunk(1, 2, "two\n", "TWO\n"), hunk(3, 3, "gone\n", ""), hunk(4, 6, "", "new\nnewer\n")];
  const now = "one\nTWO\nthree\nfour\nnew\nnewer\nfive";
  assert.equal(original(now, hunks), "one\ntwo\nthree\ngone\nfour\nfive");
  assert.deepEqual(hunks.map(kindOf), ["changed", "removed", "added"]);
  assert.equal(original("", []), "");
  assert.equal(original("new", [hunk(0, 1, "", "new")]), "");
});

test("a hunk that ends within the last line holds that line", () => {
  const last = { ...hunk(1, 1, "b", "B"), range: { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } } };
  assert.equal(original("a\nB", [last]), "a\nb");
  assert.equal(kindOf(last), "changed");
});

test("the label of a hunk is one short line", () => {
  assert.equal(labelOf(hunk(1, 3, "x\n", "\n  return 1;\n")), "2: return 1;");
  assert.equal(labelOf(hunk(4, 4, "old line\n", "")), "5: − old line");
  assert.equal(labelOf(hunk(0, 1, "", "é".repeat(100))).length, 63);
  assert.equal(labelOf({ ...hunk(0, 0, "x\n", ""), deleted: true }), "deleted");
  assert.equal(labelOf({ ...hunk(0, 9, "", "x\n"), made: true }), "new file");
});

test("next and previous go round", () => {
  const hunks = [hunk(8, 9, "", "a\n"), hunk(2, 3, "", "b\n")];
  assert.equal(neighbour(hunks, 0, true), 2);
  assert.equal(neighbour(hunks, 2, true), 8);
  assert.equal(neighbour(hunks, 8, true), 2);
  assert.equal(neighbour(hunks, 2, false), 8);
  assert.equal(neighbour([], 0, true), undefined);
});

const chat = (more: Partial<ChatState>): ChatState => ({ uri: "file:///a", title: "A", state: "idle", used: 0, size: 0, runs: 0, ...more });

test("the status bar tells of the active chat, and first of what waits", () => {
  const idle: State = { chats: [chat({ model: "m:1b", used: 512, size: 2048 }), chat({ uri: "file:///b", state: "working", model: "n" })], waiting: [] };
  assert.equal(statusText(idle, chatToShow(idle, "file:///a")), "$(comment-discussion) m:1b 25%");
  assert.equal(statusText(idle, chatToShow(idle, undefined)), "$(loading~spin) n");
  assert.equal(busy(idle), true);
  assert.equal(busy({ chats: [chat({})], waiting: [] }), false);
  assert.equal(statusText({ chats: [], waiting: [] }, undefined), "$(comment-discussion) Assent");
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const waits: State = { ...idle, waiting: [{ id: "q", uri: "file:///a", range, title: "Waits for your answer: edit x", actions: [] }] };
  assert.equal(statusText(waits, idle.chats[0]), "$(bell-dot) Assent: 1 waits");
  assert.deepEqual(details(waits, idle.chats[0]).at(-1), ["Waits", "edit x"]);
  const background = (n: number): string => new Map(details(idle, chat({ background: n }))).get("Background") ?? "";
  assert.deepEqual([0, 1, 2].map(background), ["", "1 command runs", "2 commands run"]);
});

test("the name of a model is no icon", () => {
  const state: State = { chats: [chat({ model: "$(check) safe" })], waiting: [] };
  assert.equal(statusText(state, state.chats[0]), "$(comment-discussion) $ (check) safe");
});

const text = ["## You", "", "```context outline", "a", "b", "c", "d", "```", "", "```tool edit_file c1", "1", "2", "3", "4", "```", "", "````result c1 ok", "1", "2", "3"];
const line = (i: number): string => text[i] ?? "";

test("only closed blocks of thinking, context and results are details", () => {
  const folds = [{ startLine: 0, endLine: 19 }, { startLine: 2, endLine: 7 }, { startLine: 9, endLine: 14 }, { startLine: 16, endLine: 19 }];
  assert.deepEqual(detailBlocks(line, text.length, folds), [{ startLine: 2, endLine: 7 }]);
  const asked = (i: number): string => line(i).replace("context outline", "context asked not-sent");
  assert.deepEqual(detailBlocks(asked, text.length, folds), [], "what was asked is read before it is answered");
});

test("a block is folded once, and not around the cursor", () => {
  const once = new FoldedOnce();
  const blocks = [{ startLine: 2, endLine: 7 }];
  assert.deepEqual(once.due(blocks, line, [5]).blocks, []);
  assert.deepEqual(once.due(blocks, line, [0]).blocks, blocks);
  const due = once.due(blocks, line, [0]);
  assert.deepEqual(due.blocks, blocks, "it was not folded yet");
  due.done();
  assert.deepEqual(once.due(blocks, line, [0]).blocks, []);
});

test("a window follows until the person scrolls up or types", () => {
  const follower = new Follower();
  follower.begin(10, 30);
  assert.equal(follower.follows, false, "the person reads far above");
  follower.begin(30, 30);
  follower.scrolled(5, 34, 36);
  assert.equal(follower.follows, true, "the text grew");
  follower.scrolled(4, 36, 40); // a block was folded: the first line moves up, and more lines come into view
  assert.ok(follower.follows);
  follower.scrolled(3, 32, 36);
  assert.equal(follower.follows, false, "scrolled up");
  follower.scrolled(6, 37, 37);
  assert.equal(follower.follows, true, "scrolled to the end");
  follower.typed();
  follower.scrolled(6, 38, 38);
  assert.equal(follower.follows, false, "typing is not scrolling");
  follower.begin(38, 38);
  follower.end();
  assert.equal(follower.follows, false);
});

test("a reply that has begun already is followed", () => {
  const reply = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  const lines = ["## You", "", "Question?", "", "## Assistant", "", "## Heading of the reply", ...reply];
  assert.equal(lastTurn(lines), 4);
  const follower = new Follower();
  follower.begin(20, lastTurn(lines));
  assert.equal(follower.follows, true, "the last turn begins in view");
  follower.begin(2, lastTurn(lines));
  assert.equal(follower.follows, false, "the person reads above it");
  assert.equal(lastTurn(["---", "model: m", "---"]), 2);
});
