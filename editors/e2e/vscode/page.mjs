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
    await page.keyboard.press("Control+.");
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
    await within(async (timeout) => {
      await page.keyboard.press("F1");
      await input.waitFor({ state: "visible", timeout });
      await input.fill(">" + text, { timeout });
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text }).waitFor({ timeout });
    });
    alive();
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
  messages: () => page.locator(".notification-list-item-message").allInnerTexts(),
  async shot({ name }) {
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
