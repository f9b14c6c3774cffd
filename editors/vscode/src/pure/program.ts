// Which program is started, without the editor. A name is looked up on PATH only: the process starts in no folder of a workspace, where
// a program of the same name may have come with a clone.

export interface Machine {
  windows: boolean;
  path: string; // PATH
  runs(file: string): boolean; // whether it is a file that can be run
}

// The program of the setting; without one, the one that came with the extension, else the one on PATH. Nothing is downloaded.
export function chooseProgram(setting: string | undefined, bundled: string, machine: Machine): string {
  const wanted = setting?.trim() || "assent";
  return wanted === "assent" && machine.runs(bundled) ? bundled : findProgram(wanted, machine);
}

// The absolute path of what the setting names; an error is one sentence that says what to do.
export function findProgram(wanted: string, machine: Machine): string {
  const absolute = machine.windows ? /^(?:[A-Za-z]:[\\/]|\\\\)/ : /^\//;
  if (absolute.test(wanted)) {
    if (!machine.runs(wanted)) {
      throw new Error(`assent.path is ${JSON.stringify(wanted)}, and no program is there: install it, or choose another file`);
    }
    return wanted;
  }
  if (wanted === "" || /[\\/]|^[A-Za-z]:|^\.+$/.test(wanted)) {
    throw new Error(`assent.path is ${JSON.stringify(wanted)}, which is neither an absolute path nor a name on PATH: choose another file`);
  }
  const names = !machine.windows || /\.(?:exe|com)$/i.test(wanted) ? [wanted] : [`${wanted}.exe`, `${wanted}.com`];
  const folders = machine.path.split(machine.windows ? ";" : ":").filter((folder) => absolute.test(folder));
  const found = folders.flatMap((folder) => names.map((name) => folder.replace(/[\\/]+$/, "") + (machine.windows ? "\\" : "/") + name)).find(machine.runs);
  if (!found) {
    throw new Error(`there is no program ${wanted} on PATH: install it, or choose its file`);
  }
  return found;
}

// Whether a program answers `version` as Assent does. Another one may have the same name.
export function isAssent(version: string): boolean {
  return /^assent \S+\s*$/.test(version);
}
