import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseProgram, findProgram, isAssent } from "../src/pure/program";

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
      assert.throws(() => findProgram(wanted, machine), /which is neither an absolute path nor a name on PATH: choose another file/, wanted);
    }
  }
  assert.equal(findProgram("/opt/assent", unix("", "/opt/assent")), "/opt/assent");
  for (const file of ["C:\\Program Files\\assent.exe", "\\\\server\\share\\assent.exe"]) {
    assert.equal(findProgram(file, windows("", file)), file);
  }
});

test("a file that is not there is named, with what to do", () => {
  const sentence = /^assent\.path is "\/opt\/assent", and no program is there: install it, or choose another file$/;
  assert.throws(() => findProgram("/opt/assent", unix("/a", "/a/assent")), { message: sentence });
});

test("only a program that answers as Assent does is started", () => {
  for (const [version, is] of [["assent 1.2.0\n", true], ["assent dev\r\n", true], ["", false], ["assent", false], ["present 1.0\n", false], ["usage: assent a b\n", false]] as const) {
    assert.equal(isAssent(version), is, version);
  }
});

test("the setting comes first, then the program that came with the extension, then PATH", () => {
  const bundled = "/ext/bin/assent";
  const machine = unix("/a", "/a/assent", "/a/mine", "/opt/assent", bundled);
  for (const setting of [undefined, "", " assent "]) {
    assert.equal(chooseProgram(setting, bundled, machine), bundled);
    assert.equal(chooseProgram(setting, bundled, unix("/a", "/a/assent")), "/a/assent");
  }
  assert.equal(chooseProgram("/opt/assent", bundled, machine), "/opt/assent");
  assert.equal(chooseProgram("mine", bundled, machine), "/a/mine");
});
