-- The story in a real Neovim, told line by line: nvim --headless -i NONE -n -c 'luafile demo.lua' -c cquit
-- The user's init.lua attaches Assent. The current folder is the workspace.
-- Ends with status 0 when README.md was changed as it was asked for, with 3 when the model did not do that.
local request = "In README.md the word Helo is misspelled. Change it to Hello."
local silence = 300 * 1000 -- nothing new for so long is a failure; how long it takes is not
local started = vim.uv.now()
local function say(text) io.stdout:write(text .. "\n") end
local function step(text) say(("\n[%5.1f s] %s"):format((vim.uv.now() - started) / 1000, text)) end
local function fail(text, status)
  step("FAILED: " .. text)
  say("messages: " .. vim.fn.execute("messages"))
  vim.cmd("cquit " .. (status or 1))
end
local function model_fails(text) fail(text, 3) end

vim.notify = function(message) say("  message: " .. message) end
local stage, ended
vim.api.nvim_create_autocmd("LspProgress", { callback = function(ev)
  local v = ev.data.params.value
  local text = v.message or v.title
  ended = v.kind == "end"
  if text and text ~= stage then say("  progress: " .. text) end
  stage = text or stage
end })

-- Code actions as a person takes them, with a menu that answers itself.
local pick, menu
vim.ui.select = function(items, opts, choose)
  menu = vim.tbl_map(opts.format_item, items)
  for i, title in ipairs(menu) do
    if pick and vim.startswith(title, pick) then return choose(items[i], i) end
  end
  choose(nil)
end
local function actions(title)
  pick, menu = title, nil
  vim.lsp.buf.code_action()
  return vim.wait(60000, function() return menu ~= nil end, 20) and menu or {}
end
local function lines(buf) return vim.api.nvim_buf_get_lines(buf, 0, -1, false) end
local function text(buf) return table.concat(lines(buf), "\n") end

step("Neovim " .. tostring(vim.version()) .. " opens README.md; the line at its end is an unsaved change of ours.")
vim.cmd.edit("README.md")
local readme = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_lines(readme, -1, -1, false, { "An unsaved line." })
for _, line in ipairs(lines(readme)) do say("  | " .. line) end

step("A chat document, with a request:")
vim.cmd("split ask.chat.md")
local chat = vim.api.nvim_get_current_buf()
local document = { "## You", "", request }
if vim.env.DEMO_MODEL then document = vim.list_extend({ "---", "model: " .. vim.env.DEMO_MODEL, "---", "" }, document) end
vim.api.nvim_buf_set_lines(chat, 0, -1, false, document)
for _, line in ipairs(lines(chat)) do say("  | " .. line) end
local attached = vim.wait(60000, function()
  local c = vim.lsp.get_clients({ bufnr = chat, name = "assent" })[1]
  return c and c.initialized
end, 20)
if not attached then fail("the language server did not start") end
vim.api.nvim_win_set_cursor(0, { #document, 0 })

step("Code action Send. The reply streams into the document:")
local titles = actions("Send")
if not vim.tbl_contains(titles, "Send") then fail("no Send in the menu: " .. table.concat(titles, " | ")) end
local shown, approved = #lines(chat), 0
-- Prints the lines of the document that are complete and were not shown yet, without the empty turn at its end.
local function tell(all)
  local now = lines(chat)
  while #now > shown and (now[#now] == "" or now[#now] == "## You") do table.remove(now) end
  local last = all and #now or #now - 1
  for i = shown + 1, last do say("  | " .. now[i]) end
  shown = math.max(shown, last)
end
local function waiting()
  for _, d in ipairs(vim.diagnostic.get(chat)) do
    if d.source == "assent" and d.severity == vim.diagnostic.severity.INFO then return d end
  end
end
local function over() return ended and not waiting() end
local seen, since = "", vim.uv.now()
while not over() do
  local sign = text(chat) .. (stage or "")
  if sign ~= seen then seen, since = sign, vim.uv.now() end
  if vim.uv.now() - since > silence then model_fails("nothing new came from the model for five minutes") end
  vim.wait(100, function() return waiting() ~= nil or over() end, 20)
  tell(false)
  local pending = waiting()
  if pending then
    tell(true)
    step("A call waits: " .. pending.message .. "  (next problem jumps to it)")
    vim.cmd("normal! gg")
    if vim.diagnostic.jump then vim.diagnostic.jump({ count = 1, float = false }) else vim.diagnostic.goto_next({ float = false }) end
    for _, title in ipairs(actions(nil)) do say("    * " .. title) end
    -- What was asked for is approved; whatever else the model comes up with is not.
    local good = vim.iter(menu):find(function(title) return title:match("^Approve once: %a+ README%.md$") end)
    local take = good or "Deny"
    say("  We take: " .. take)
    local before = text(readme)
    actions(take)
    approved = approved + 1
    if approved > 8 then model_fails("the model asks for too much") end
    vim.wait(30000, function() return waiting() == nil end, 20)
    vim.wait(good and 1000 or 0, function() return text(readme) ~= before end, 20)
    local diff = vim.diff(before .. "\n", text(readme) .. "\n", { ctxlen = 1 })
    if diff ~= "" then
      step("README.md changed in its buffer; our unsaved line is still there:")
      say("    " .. vim.trim(diff):gsub("\n", "\n    "))
    end
    step("The run goes on:")
  end
end
tell(true)

local good = text(readme):find("Hello, world.", 1, true) and text(readme):find("An unsaved line.", 1, true)
if not good then model_fails("README.md was not changed as asked:\n" .. text(readme)) end
step("Undo in the buffer of README.md (u):")
vim.api.nvim_set_current_win(vim.fn.bufwinid(readme))
vim.cmd("silent undo")
say("  | " .. (text(readme):match("[^\n]*, world[^\n]*") or "?"))
vim.cmd("silent redo")
vim.cmd("silent write")
vim.api.nvim_set_current_win(vim.fn.bufwinid(chat))
vim.cmd("silent write")
step("Redo, and both files are saved. README.md:")
for _, line in ipairs(lines(readme)) do say("  | " .. line) end
vim.cmd("qa!")
