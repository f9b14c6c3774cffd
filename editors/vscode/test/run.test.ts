import assert from "node:assert/strict";
import { test } from "node:test";
import { RunWatch } from "../src/pure/run";

const idle = (runs: number) => ({ state: "idle", runs });

test("a run is over when the chat is idle after it", () => {
  const run = new RunWatch(2);
  assert.equal(run.look(idle(2), 0), "runs", "it did not begin yet");
  assert.equal(run.look({ state: "working", runs: 3 }, 100), "runs");
  assert.equal(run.look({ state: "waiting", runs: 3 }, 99_000), "runs");
  assert.equal(run.look(idle(3), 99_100), "over");
});

test("a run that nobody saw is over, too", () => {
  const run = new RunWatch(0);
  assert.equal(run.look(idle(1), 0), "runs", "the word may be from its begin");
  assert.equal(run.look(idle(1), 1000), "over");
});

test("where nothing begins, or the chat is gone, the wait ends", () => {
  const run = new RunWatch(1);
  assert.equal(run.look(idle(1), 0), "runs");
  assert.equal(run.look(idle(1), 5000), "nothing began");
  const gone = new RunWatch(1);
  assert.equal(gone.look({ state: "writing", runs: 2 }, 0), "runs");
  assert.equal(gone.look(undefined, 10), "over");
  assert.equal(new RunWatch(0).look(undefined, 0), "runs");
});
