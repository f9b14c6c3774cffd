// The logger of VS Code's server without its native module, which code-server does not bring built: output channels write
// into files by it. Setting a level or a pattern changes nothing.
const fs = require("fs");
const path = require("path");

class Logger {
  constructor(type, name, file) {
    this.file = file;
    this.plain = false;
    this.level = 0;
  }
  write(level, message) {
    fs.appendFileSync(this.file, this.plain ? message : `[${level}] ${message}\n`);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  setPattern() {}
  clearFormatters() {
    this.plain = true;
  }
  flush() {}
  drop() {}
}
for (const level of ["trace", "debug", "info", "warn", "error", "critical"]) {
  Logger.prototype[level] = function (message) {
    this.write(level, message);
  };
}

async function create(name, file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger("rotating", name, file);
}

// One by one: the importer finds the names by reading this file.
exports.version = 1;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
