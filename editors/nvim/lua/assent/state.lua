-- What the servers said last of their chats and of what waits for an answer.
local M = {}

local by_client = {} ---@type table<integer, assent.State>
local told = {} ---@type table<string, true> ids of questions that were told of

---@class assent.Waits
---@field client integer
---@field waiting assent.Waiting

--- All that waits, the older first.
---@return assent.Waits[]
function M.waiting()
  local all = {}
  for client, state in vim.spairs(by_client) do
    for _, waiting in ipairs(state.waiting) do
      table.insert(all, { client = client, waiting = waiting })
    end
  end
  return all
end

--- All open chats.
---@return assent.ChatState[]
function M.chats()
  local all = {}
  for _, state in vim.spairs(by_client) do
    vim.list_extend(all, state.chats)
  end
  return all
end

local function changed()
  require("assent.status")
  require("assent.pending").refresh()
  vim.cmd.redrawstatus({ bang = true })
  vim.api.nvim_exec_autocmds("User", { pattern = "AssentState", modeline = false })
end

-- A line of the command line: a longer text would want a key before the person can go on.
---@param text string
local function say(text)
  if vim.fn.strdisplaywidth(text) >= vim.v.echospace then
    text = vim.fn.strcharpart(text, 0, math.max(vim.v.echospace - 2, 1)) .. "…"
  end
  vim.cmd.redraw() -- two messages at once would want a key, too
  vim.notify(text)
end

--- The handler of window/showMessage. Neovim takes no edits while it waits for a key below a long message, and a reply streams in.
---@param err any
---@param params lsp.ShowMessageParams
---@param context lsp.HandlerContext
function M.message(err, params, context, ...)
  if params.type < vim.lsp.protocol.MessageType.Info then -- problems are shown in full
    return vim.lsp.handlers["window/showMessage"](err, params, context, ...)
  end
  say("Assent: " .. params.message:gsub("%s+", " "))
end

-- What is new is said once, unless the list of it is on the screen.
local function tell()
  local current, new = {}, {}
  for _, entry in ipairs(M.waiting()) do
    current[entry.waiting.id] = true
    if not told[entry.waiting.id] then
      table.insert(new, entry.waiting.title)
    end
  end
  told = current
  if #new > 0 and require("assent.config").get().notify and not require("assent.pending").is_open() then
    say(("Assent: %s (:Assent pending)"):format(#new == 1 and new[1] or #new .. " calls wait for your answer"))
  end
end

--- The handler of assent/state.
---@param _ any
---@param state assent.State
---@param context { client_id: integer }
function M.receive(_, state, context)
  by_client[context.client_id] = { chats = state.chats or {}, waiting = state.waiting or {} }
  tell()
  changed()
end

--- A server ended.
---@param client integer
function M.forget(client)
  by_client[client] = nil
  changed()
end

return M
