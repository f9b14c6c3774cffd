import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseProgram, findProgram } from "../src/pure/program";

const unix = (path: string, ...files: string[]) => ({ windows: false, path, runs: (file: string) => files.includes(file) });
const windows = (path: string, ...files: string[]) => ({ windows: true, path, runs: (file: string) => files.includes(file) });

test("a name is looked up in the absolute folders of PATH, in their order", () => {
  assert.equal(findProgram("assent", unix("/a:/b/:/c", "/b/assent", "/c/assent")), "/b/assent");
  assert.equal(findProgram("assent", windows("C:\\a;D:\\b\\", "D:\\b\\assent.exe")), "D:\\b\\assent.exe");
  assert.equal(findProgram("assent.EXE", windows("C:\\a", "C:\\a\\assent.EXE")), "C:\\a\\assent.EXE");
});

test("nothing is found by way of the folder that is open", () => {
  const everywhere = { runs: () => true };
  for (const path of ["", ".", ":", ".:bin:..", "~/bin"]) {
    assert.throws(() => findProgram("assent", { windows: false, path, ...everywhere }), /there is no program assent on PATH/, path);
  }
  for (const path of ["", ".;bin;C:bin", "\\bin"]) {
    assert.throws(() => findProgram("assent", { windows: true, path, ...everywhere }), /there is no program assent on PATH/, path);
  }
});

test("a relative path is refused, and an absolute one taken as it is", () => {
  for (const machine of [unix("/a", "/a/assent"), windows("C:\\a", "C:\\a\\assent.exe")]) {
    for (const wanted of ["./assent", "bin/assent", "..\\assent", "C:assent.exe", "~/bin/assent", "..", ""]) {
      assert.throws(() => findProgram(wanted, machine), /must be an absolute path, or a name on PATH/, wanted);
    }
  }
  assert.equal(findProgram("/opt/assent", unix("")), "/opt/assent");
  assert.equal(findProgram("C:\\Program Files\\assent.exe", windows("")), "C:\\Program Files\\assent.exe");
  assert.equal(findProgram("\\\\server\\share\\assent.exe", windows("")), "\\\\server\\share\\assent.exe");
});

test("the setting comes first, then the program that came with the extension, then PATH", () => {
  const bundled = "/ext/bin/assent";
  const machine = unix("/a", "/a/assent", "/a/mine", bundled);
  for (const setting of [undefined, "", " assent "]) {
    assert.equal(chooseProgram(setting, bundled, machine), bundled);
    assert.equal(chooseProgram(setting, bundled, unix("/a", "/a/assent")), "/a/assent");
  }
  assert.equal(chooseProgram("/opt/assent", bundled, machine), "/opt/assent");
  assert.equal(chooseProgram("mine", bundled, machine), "/a/mine");
});
