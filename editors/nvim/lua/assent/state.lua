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
  require("assent.preview").refresh()
  vim.cmd.redrawstatus({ bang = true })
  vim.api.nvim_exec_autocmds("User", { pattern = "AssentState", modeline = false })
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
    require("assent.say").say(("%s (:Assent pending)"):format(#new == 1 and new[1] or #new .. " calls wait for your answer"))
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
