// Opens VS Code in a browser and does with mouse and keyboard what the Go tests ask for; the protocol is the probe's.
// Environment: URL, OUT (screenshots), PLAYWRIGHT, CHROMIUM, ASSENT_E2E_SOCKET, PROFILE (a fresh folder).
import net from "node:net";
import path from "node:path";
import { createRequire } from "node:module";

const { URL: address, OUT: out, PLAYWRIGHT: playwright, CHROMIUM: executablePath, PROFILE: profile } = process.env;
const { chromium } = createRequire(import.meta.url)(playwright);
// Nothing here has a limit of time; the tests count silence. A line of id 0 is a sign of life.
const socket = net.connect(process.env.ASSENT_E2E_SOCKET);
const send = (line) => socket.write(JSON.stringify(line) + "\n");
const alive = () => send({ id: 0 });
let browser, page, rows, input;

// choose runs a command of the palette.
async function choose(text) {
  await within(async (timeout) => {
    await page.keyboard.press("F1");
    await input.waitFor({ state: "visible", timeout });
    await input.fill(">" + text, { timeout });
    await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text }).waitFor({ timeout });
  });
  alive();
  await page.keyboard.press("Enter");
}

// within does something until that succeeds, with ever more time for it; in between it presses Escape. What a person presses
// while the window is busy taking over the focus or the selection does nothing, and a person presses it again.
async function within(attempt) {
  for (let timeout = 2500; ; timeout *= 2) {
    try {
      return await attempt(timeout);
    } catch (error) {
      if (error.name !== "TimeoutError") throw error;
      await page.keyboard.press("Escape");
    }
  }
}
// The keyboard's focus is in the editor of a file.
async function focus(file, timeout) {
  const editor = `.monaco-editor[data-uri$="/${path.basename(file)}"]`;
  await page.locator(editor).locator(".native-edit-context, textarea.inputarea").first().focus({ timeout });
  await page.locator(editor + ".focused").waitFor({ timeout });
}
// The menu at the cursor. What the document's changes overtook is dropped.
const menu = (file) =>
  within(async (timeout) => {
    await focus(file, timeout);
    if (!(await rows.first().isVisible())) await page.keyboard.press("Control+."); // in an open menu that takes the first row
    await rows.first().waitFor({ timeout });
    alive();
    return rows.allInnerTexts();
  });
// Clicks a row of the menu until that is gone, and tells whether it clicked: the menu may go by itself before.
async function click(i) {
  let clicked = false;
  for (let timeout = 2500; await rows.first().isVisible(); timeout *= 2) {
    try {
      await rows.nth(i).click({ trial: true, timeout }); // there, and still
      const box = await rows.nth(i).boundingBox({ timeout });
      if (!box) continue;
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      clicked = true;
      await rows.first().waitFor({ state: "hidden", timeout });
    } catch (error) {
      if (error.name !== "TimeoutError") throw error;
    }
  }
  return clicked;
}
// Runs in the window: what that tells the extensions is held back while there is a list for it, as on a busy machine; foldsAsked counts
// what they tell the window to fold.
function watchSockets() {
  window.foldsAsked = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (window.held) window.held.push(() => send.call(this, data));
    else send.call(this, data);
  };
  window.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", async ({ data }) => {
        if (/"editor\.fold(?:AllMarkerRegions)?"/.test(await new Response(data).text())) window.foldsAsked++;
      });
    }
  };
}
let left = 0;
const ops = {
  async ready() {
    browser = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      timeout: 0,
      viewport: { width: 1400, height: 900 },
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    });
    browser.setDefaultTimeout(0);
    alive();
    page = browser.pages()[0] ?? (await browser.newPage());
    rows = page.locator(".action-widget .monaco-list-row.action");
    input = page.locator(".quick-input-widget input").first();
    if (process.env.DELAYS) await page.addInitScript(watchSockets);
    page.on("response", alive);
    await page.goto(address, { waitUntil: "domcontentloaded" });
    await page.waitForSelector(".monaco-workbench .part.statusbar");
    page.off("response", alive);
    return true;
  },
  // The cursor is on the line already.
  async act({ file, title }) {
    for (let clicked = false; !clicked; ) {
      const titles = await menu(file);
      const i = titles.findIndex((t) => t.trim().startsWith(title));
      if (i < 0) {
        await page.keyboard.press("Escape");
        await ops.shot({ name: "no-action" });
        throw new Error(`no action ${title}; there are: ${titles.join(" | ")}`);
      }
      clicked = await click(i);
    }
    return true;
  },
  async menu({ file, name }) {
    await menu(file);
    await ops.shot({ name });
    await page.keyboard.press("Escape");
    return true;
  },
  async palette({ text }) {
    await choose(text);
    await input.waitFor({ state: "hidden" });
    return true;
  },
  // search chooses a command that asks for words in the same box, and then the first row that shows row.
  async search({ text, placeholder, words, row }) {
    await choose(text);
    await page.locator(`.quick-input-widget input[placeholder="${placeholder}"]`).waitFor();
    await input.fill(words);
    await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: row }).waitFor();
    await page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
    return true;
  },
  async type({ file, text, every }) {
    await within((timeout) => focus(file, timeout));
    left = text.length;
    (async () => {
      await page.keyboard.press("End");
      for (const letter of text) {
        await (letter === "\n" ? page.keyboard.press("Enter") : page.keyboard.type(letter));
        left--;
        await page.waitForTimeout(every);
      }
    })().catch((error) => (console.error(error), (left = -1)));
    return true;
  },
  typing: () => left,
  // Types into the editor of a file, and gives for each letter the milliseconds until it is drawn.
  async keys({ file, text }) {
    await within((timeout) => focus(file, timeout));
    const editor = page.locator(`.monaco-editor[data-uri$="/${path.basename(file)}"]`);
    await editor.evaluate((element) => {
      let pressed = 0;
      const took = (element.took = []);
      addEventListener("keydown", () => (pressed = performance.now()), true);
      new MutationObserver(() => {
        if (pressed) took.push(performance.now() - pressed);
        pressed = 0;
      }).observe(element.querySelector(".view-lines"), { childList: true, subtree: true, characterData: true });
    });
    for (const [i, letter] of [...text].entries()) {
      await page.keyboard.type(letter);
      while ((await editor.evaluate((element) => element.took.length)) <= i) await page.waitForTimeout(5);
      alive();
    }
    return editor.evaluate((element) => element.took);
  },
  // Presses keys, one after the other; with a file, in its editor.
  async press({ file, keys }) {
    if (file) await within((timeout) => focus(file, timeout));
    for (const key of keys) await page.keyboard.press(key);
    return true;
  },
  async write({ text }) {
    await page.keyboard.type(text, { delay: 5 });
    return true;
  },
  // Clicks what a person sees: a button by its name, or the button of a row that shows up when the mouse is on the row.
  async click({ name, row, part }) {
    const area = page.locator(part ?? "body");
    await within(async (timeout) => {
      let place = area;
      if (row) {
        place = area.locator(".monaco-list-row", { hasText: row }).filter({ visible: true }).first();
        await place.hover({ timeout });
      }
      const named = place.locator(`[aria-label^=${JSON.stringify(name)}], .monaco-button:has-text(${JSON.stringify(name)})`);
      const button = named.filter({ visible: true }).first();
      try {
        await button.click({ timeout });
      } catch (error) {
        if (error.name !== "TimeoutError" || part || row) throw error;
        // VS Code takes a notification away after a while, and at Escape; it stays in the list behind the bell.
        await page.locator('[id="status.notifications"]').click({ timeout });
        await button.click({ timeout });
      }
    });
    return true;
  },
  // Writes into the editor's own chat, which is open, and sends it.
  async chat({ text }) {
    const box = page.locator(".interactive-input-part .monaco-editor").filter({ visible: true }).last();
    await box.locator(".native-edit-context, textarea.inputarea").first().focus();
    await page.keyboard.type(text, { delay: 15 });
    const unsent = box.filter({ hasText: text.split(" ").at(-1) });
    await within(async (timeout) => {
      await page.keyboard.press("Enter"); // which an open list of participants would take
      await unsent.waitFor({ state: "hidden", timeout });
    });
    return true;
  },
  // Waits until the window has the colours, with the mouse where it shows no hint.
  async theme({ class: name }) {
    await page.mouse.move(0, 0);
    await page.locator(`.monaco-workbench.${name}`).waitFor();
    return true;
  },
  sees: async ({ text }) => (await page.locator("body").innerText()).replaceAll("\u00a0", " ").includes(text),
  // What is underlined as a link in the editor of a file, piece by piece.
  links: ({ file }) => page.locator(`.monaco-editor[data-uri$="/${path.basename(file)}"] .detected-link`).allInnerTexts(),
  hold: () => page.evaluate(() => ((window.foldsAsked = 0), (window.held = []), true)),
  release: () =>
    page.evaluate(() => {
      const all = window.held;
      window.held = undefined;
      all.forEach((send) => send());
      return true;
    }),
  folds_asked: () => page.evaluate(() => window.foldsAsked),
  // The lines that the editor of a file draws.
  lines: async ({ file }) => (await page.locator(`.monaco-editor[data-uri$="/${path.basename(file)}"] .view-lines`).first().innerText()).replaceAll("\u00a0", " "),
  // The steps of the walkthrough that are checked off.
  completed: () =>
    page.locator(".getting-started-step[aria-checked=true]").evaluateAll((all) => all.map((step) => step.dataset.stepId.split("#").at(-1))),
  messages: () => page.locator(".notification-list-item-message").allInnerTexts(),
  async shot({ name }) {
    await page.mouse.move(700, 600); // no button says what it does
    await page.screenshot({ path: path.join(out, name + ".png") });
    return true;
  },
  async screen() {
    await ops.shot({ name: "screen" });
    return page.locator("body").innerText();
  },
  async quit() {
    await browser.close();
    return true;
  },
};

let rest = "";
socket.setEncoding("utf8").on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const request = JSON.parse(line);
    const reply = (answer) => send({ id: request.id, ...answer });
    Promise.resolve()
      .then(() => ops[request.op](request))
      .then((value) => reply({ value: value ?? null }), (error) => reply({ error: String(error).split("\n")[0] }));
  }
});
socket.on("close", () => Promise.resolve(browser?.close()).finally(() => process.exit()));
