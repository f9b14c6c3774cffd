-- The options, their defaults, and what is wrong with those that were given.
local M = {}

---@class assent.Hunks
---@field signs? boolean Signs beside the lines that a turn changed.
---@field deleted? boolean Show the lines that a turn took out, as virtual lines.
---@field text? { added: string, changed: string, removed: string } The signs: one or two cells each.

---@class assent.Config
---@field cmd? string[] The program and its arguments.
---@field autostart? boolean Attach to every file. false: only when :Assent is used or a chat is opened.
---@field settings? table<string, any> Settings of the server by their names, such as `{ model = "qwen3:8b" }`.
---@field root_markers? string[] What the top of a workspace has. Without one it is the current folder.
---@field notify? boolean Say it when something new waits for an answer. It never takes the focus.
---@field follow? boolean|"cursor" Keep the end of a reply in view while the window shows it. The cursor is not moved, so that the line that it is on stays in view; "cursor" moves a cursor that stands on the last line along.
---@field folds? string[]|false What is closed in a chat once it is complete: "context", "thinking", "tool", "result", "malformed". A call that waits stays open. false: leave folding alone.
---@field hunks? assent.Hunks How changes that wait for a decision are shown in a file.
---@field output? string The command that opens the window for the output of a running command, such as "botright 12split" or "vsplit".
---@field picker? string Lists of chats with a preview: "auto" takes a picker that is installed, else name one: "snacks", "fzf-lua", "telescope", "mini.pick", or "select" for vim.ui.select.
---@field undo_join? boolean A reply that streams into a chat is one undo step as far as you did not type meanwhile.

---@type assent.Config
local defaults = {
  cmd = { "assent", "serve" },
  autostart = true,
  settings = {},
  root_markers = { ".git", ".assent" },
  notify = true,
  follow = true,
  folds = { "context", "thinking", "tool", "result", "malformed" },
  hunks = { signs = true, deleted = false, text = { added = "+", changed = "~", removed = "-" } },
  output = "botright 12split",
  picker = "auto",
  undo_join = true,
}

-- What an option may be besides a value of the type of its default.
local also = {
  follow = function(value) return value == "cursor" end,
  folds = function(value) return value == false end,
}

local current = defaults

---@param given table
---@param known table
---@param path string
local function check(given, known, path)
  for key, value in pairs(given) do
    local name, default = path .. tostring(key), known[key]
    if default == nil then
      local names = vim.tbl_keys(known)
      table.sort(names)
      error(("there is no option %s; there are: %s"):format(name, table.concat(names, ", ")), 0)
    end
    if type(value) ~= type(default) and not (also[name] and also[name](value)) then
      error(("the option %s must be a %s, not %s"):format(name, type(default), vim.inspect(value)), 0)
    end
    if type(default) == "table" and type(value) == "table" and next(default) and not vim.islist(default) then
      check(value, default, name .. ".")
    end
  end
end

--- Takes the options of a user. Those that are not given have their defaults. With a wrong one, none is taken, and that is said.
---@param options? assent.Config
function M.set(options)
  options = options or {}
  local ok, problem = pcall(check, options, defaults, "")
  if not ok then
    vim.schedule(function() -- a user's init.lua goes on, and the screen is there
      require("assent.say").warn(problem)
    end)
    return
  end
  current = vim.tbl_deep_extend("force", defaults, options)
end

---@return assent.Config
function M.get()
  return current
end

return M
