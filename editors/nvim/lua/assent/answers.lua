-- What can be done about a call that waits. Each is asked for by a key of its own.
local M = {}

local request = require("assent.request")
local generated = require("assent.generated")

---@param entry assent.Entry
---@param command string
---@return assent.WaitingAction?
local function action_of(entry, command)
  for _, action in ipairs(entry.waiting.actions) do
    if action.command == command then
      return action
    end
  end
end

-- The server that asked, or a word on that it is gone.
---@param entry assent.Entry
---@return vim.lsp.Client?
local function server_of(entry)
  local server = vim.lsp.get_client_by_id(entry.client)
  if not server then
    require("assent.say").warn("the language server that asked this has ended")
  end
  return server
end

---@param entry assent.Entry
---@param action assent.WaitingAction
local function run(entry, action)
  local server = server_of(entry)
  if server then
    request.execute(server, action.command, action.arguments)
  end
end

--- Runs the action of a command, or says why the question has none.
---@param command string
---@return fun(entry: assent.Entry)
function M.take(command)
  return function(entry)
    local action = action_of(entry, command)
    if action then
      return run(entry, action)
    end
    require("assent.say").warn(entry.waiting.blocked or "this question has other answers: press o")
  end
end

--- Shows what the call would do.
---@param entry assent.Entry
---@param wanted fun(): boolean Whether the person still waits for it: it takes the focus.
function M.preview(entry, wanted)
  local server = server_of(entry)
  if not server then
    return
  end
  request.send(server, generated.methods.preview, { id = entry.waiting.id }, function(err, result)
    if err then
      return require("assent.say").warn(err.message)
    end
    if wanted() then
      require("assent.preview").show(entry.waiting.id, result)
    end
  end)
end

--- Asks for the reason, and denies with it.
---@param entry assent.Entry
function M.deny_with_reason(entry)
  local deny = action_of(entry, "assent.deny")
  if not deny then
    return M.take("assent.deny")(entry)
  end
  vim.ui.input({ prompt = "Why not? " }, function(reason)
    if reason and vim.trim(reason) ~= "" then
      local answer = vim.tbl_extend("force", deny.arguments[1], { text = reason })
      run(entry, { title = deny.title, command = deny.command, arguments = { answer } })
    end
  end)
end

--- All answers, to choose from.
---@param entry assent.Entry
function M.choose(entry)
  vim.ui.select(entry.waiting.actions, {
    prompt = entry.waiting.title,
    format_item = function(action)
      return action.title
    end,
  }, function(action)
    if action then
      run(entry, action)
    end
  end)
end

--- Goes to the call in its chat.
---@param entry assent.Entry
function M.go(entry)
  local server = server_of(entry)
  if server then
    local place = { uri = entry.waiting.uri, range = entry.waiting.range }
    local show = vim.lsp.util.show_document or vim.lsp.util.jump_to_location
    show(place, server.offset_encoding, { focus = true, reuse_win = true })
  end
end

return M
