-- :Assent. The commands of the server have short names: :Assent newChat is assent.newChat.
local M = {}

local client = require("assent.client")

-- What the plugin does by itself.
---@type table<string, fun(args: table)>
local own = {
  --- Show what waits for an answer, to answer it there.
  pending = function()
    require("assent.pending").open()
  end,
  --- Go to the next change that waits for a decision.
  nextHunk = function()
    require("assent.hunks").jump(1)
  end,
  --- Go to the change before.
  previousHunk = function()
    require("assent.hunks").jump(-1)
  end,
  --- Show what was said, in full.
  messages = function()
    require("assent.say").show()
  end,
  --- Start the server again, for a setting that counts only then.
  restart = function()
    client.restart()
  end,
  --- Find chats by what was said in them: by the words behind the name, else by those that are asked for.
  searchChats = function(args)
    require("assent.search").ask(table.concat(args.fargs, " ", 2))
  end,
  --- Choose from what can be done here, as without a name.
  menu = function(args)
    M.menu(args)
  end,
}

---@return string[]
local function names()
  local all = vim.tbl_keys(own)
  for _, row in ipairs(require("assent.generated").commands) do
    local short = row.name:gsub("^assent%.", "")
    if not own[short] then
      table.insert(all, short)
    end
  end
  table.sort(all)
  return all
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if line:find("Assent%s+%S+%s") then
    return {}
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name:lower(), lead:lower())
  end, names())
end

--- The lines of a range, as LSP has them; nil: none was given.
---@param args table
---@return lsp.Range?
local function range_of(args)
  if args.range == 0 then
    return nil
  end
  return { start = { line = args.line1 - 1, character = 0 }, ["end"] = { line = args.line2, character = 0 } }
end

-- Where a command was given. It is kept, since the server may be there only when the person is elsewhere.
---@class assent.Here
---@field buf integer
---@field uri string
---@field at { [1]: integer, [2]: integer } The cursor, as Neovim has it.
---@field text string The line of the cursor.
---@field first integer The lines that are meant, from 1.
---@field last integer
---@field hunk? assent.FileChange

---@param args table
---@return assent.Here
local function here(args)
  local buf, at = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)
  return {
    buf = buf,
    uri = vim.uri_from_bufnr(buf),
    at = at,
    text = vim.api.nvim_get_current_line(),
    first = args.range > 0 and args.line1 or at[1],
    last = args.range > 0 and args.line2 or at[1],
    hunk = require("assent.hunks").at_cursor(),
  }
end

-- What other servers say about the lines: Neovim itself gives a server only what it said itself.
---@param server vim.lsp.Client
---@param place assent.Here
---@return assent.Diagnostic[]
local function problems(server, place)
  return require("assent.problems").of_lines(place.buf, place.first - 1, place.last - 1, server.offset_encoding)
end

--- What can be done here, to choose from.
---@param args table
function M.menu(args)
  local options = {
    filter = function(action)
      local command = type(action.command) == "table" and action.command.command or action.command
      return vim.startswith(action.kind or "", "quickfix.assent") or vim.startswith(command or "", "assent.")
    end,
  }
  if args.range > 0 then
    options.range = { start = { args.line1, 0 }, ["end"] = { args.line2, #vim.fn.getline(args.line2) } }
  end
  local place = here(args)
  client.with(place.buf, function(server)
    if vim.api.nvim_get_current_buf() ~= place.buf then
      return -- the person went on, and does not want the menu of what is shown now
    end
    options.context = { diagnostics = problems(server, place) }
    vim.lsp.buf.code_action(options)
  end)
end

--- The argument of a command: the place of the cursor, and the lines of the range.
---@param server vim.lsp.Client
---@param args table
---@param place assent.Here
---@return table
local function argument(server, args, place)
  if not vim.lsp.buf_is_attached(place.buf, server.id) then
    return vim.empty_dict()
  end
  local at = { line = place.at[1] - 1, character = place.at[2] }
  local text = table.concat(args.fargs, " ", 2)
  return {
    uri = place.uri,
    position = require("assent.encoding").position(at, place.uri, "utf-8", server.offset_encoding, function()
      return place.text
    end),
    range = range_of(args),
    problems = problems(server, place),
    text = text ~= "" and text or nil,
  }
end

---@param short string
---@return assent.CommandRow?
local function row_of(short)
  local wanted = "assent." .. short:gsub("^assent%.", ""):gsub("-", ""):lower()
  for _, row in ipairs(require("assent.generated").commands) do
    if row.name:lower() == wanted then
      return row
    end
  end
end

--- Runs :Assent.
---@param args { fargs: string[], range: integer, line1: integer, line2: integer }
function M.run(args)
  local short = args.fargs[1] or "menu"
  if own[short] then
    return own[short](args)
  end
  local row = row_of(short)
  if not row then
    require("assent.say").warn(("there is no command %q: press <Tab> after :Assent"):format(short))
    return
  end
  -- An answer is for one question, which the list shows: a command without one answers nothing.
  if row.answers then
    return require("assent.pending").open()
  end
  local place = here(args)
  client.with(place.buf, function(server)
    if not vim.api.nvim_buf_is_loaded(place.buf) or vim.uri_from_bufnr(place.buf) ~= place.uri then
      return require("assent.say").warn(("%s did nothing: its file was closed meanwhile"):format(row.title))
    end
    local given = argument(server, args, place)
    if place.hunk and row.name:find("Hunk$") then
      given.id = place.hunk.id
    end
    require("assent.request").execute(server, row.name, { given })
  end)
end

return M
