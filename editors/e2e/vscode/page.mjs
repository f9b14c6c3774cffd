// Opens VS Code in a browser and does with mouse and keyboard what the Go tests ask for; the protocol is the probe's.
// Environment: URL, OUT (screenshots), PLAYWRIGHT, CHROMIUM, ASSENT_E2E_SOCKET, PROFILE (a fresh folder).
import net from "node:net";
import path from "node:path";
import { createRequire } from "node:module";

const { URL: address, OUT: out, PLAYWRIGHT: playwright, CHROMIUM: executablePath, PROFILE: profile } = process.env;
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launchPersistentContext(profile, {
  executablePath,
  headless: true,
  viewport: { width: 1400, height: 900 },
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});
const page = browser.pages()[0] ?? (await browser.newPage());
await page.goto(address, { waitUntil: "domcontentloaded" });
await page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: 60000 });

const messages = () => page.locator(".notification-list-item-message").allInnerTexts();
const rows = page.locator(".action-widget .monaco-list-row.action");
// The key does nothing while the window is busy taking over the focus or the selection, and what the document's changes
// overtook is dropped: a person presses it again.
async function menu() {
  for (let tries = 1; ; tries++) {
    await page.keyboard.press("Control+.");
    try {
      await rows.first().waitFor({ timeout: 2500 });
      return await rows.allInnerTexts();
    } catch (error) {
      if (tries === 4) throw error;
      await page.keyboard.press("Escape");
    }
  }
}
let left = 0;
const ops = {
  // The cursor is on the line already. Seldom, right after the start, VS Code says that a command was not found and asks
  // the server for nothing: then once more.
  async act({ title }) {
    for (let again = 0; ; again++) {
      const titles = await menu();
      const i = titles.findIndex((t) => t.trim().startsWith(title));
      if (i < 0) {
        await page.keyboard.press("Escape");
        throw new Error(`no action ${title}; there are: ${titles.join(" | ")}`);
      }
      await rows.nth(i).click();
      await page.waitForTimeout(300);
      if (again > 0 || !(await messages()).some((m) => m.includes("command not found"))) return titles[i];
    }
  },
  async menu() {
    const titles = await menu();
    await page.keyboard.press("Escape");
    return titles;
  },
  async palette({ text }) {
    await page.keyboard.press("F1");
    await page.waitForSelector(".quick-input-widget input", { state: "visible" });
    await page.keyboard.type(text, { delay: 5 });
    await page.waitForSelector(".quick-input-list .monaco-list-row.focused");
    await page.keyboard.press("Enter");
    return true;
  },
  type({ text, every }) {
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
  async keys({ text }) {
    await page.keyboard.press(text);
    return true;
  },
  messages,
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

const socket = net.connect(process.env.ASSENT_E2E_SOCKET);
let rest = "";
socket.setEncoding("utf8").on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const request = JSON.parse(line);
    const reply = (answer) => socket.write(JSON.stringify({ id: request.id, ...answer }) + "\n");
    Promise.resolve()
      .then(() => ops[request.op](request))
      .then((value) => reply({ value: value ?? null }), (error) => reply({ error: String(error).split("\n")[0] }));
  }
});
socket.on("close", () => browser.close().finally(() => process.exit()));
