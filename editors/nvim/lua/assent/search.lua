-- Finds chats by what was said in them, and goes to the turn that is chosen.
local M = {}

---@param server vim.lsp.Client
---@param turn assent.FoundTurn
local function go(server, turn)
  local at = { line = turn.line, character = 0 }
  local show = vim.lsp.util.show_document or vim.lsp.util.jump_to_location
  local place = { uri = turn.uri, range = { start = at, ["end"] = at } }
  show(place, server.offset_encoding, { focus = true, reuse_win = true })
end

---@param turn assent.FoundTurn
---@return string
local function line_of(turn)
  local pinned = turn.pinned and "pinned: " or ""
  return ("%s  %s%s  %s: %s"):format(turn.day, pinned, turn.title, turn.role, turn.excerpt)
end

--- Finds the turns that are wanted, to choose from.
---@param server vim.lsp.Client
---@param buf integer
---@param wanted assent.ChatsWanted
function M.find(server, buf, wanted)
  local method = require("assent.generated").methods.chatsFind
  require("assent.request").send(server, method, wanted, function(err, result)
    if err then
      return require("assent.say").warn(err.message)
    end
    if #result.turns == 0 then
      return require("assent.say").warn("No chat that you may read has this.")
    end
    local rows = vim.tbl_map(function(turn)
      return { text = line_of(turn), path = vim.uri_to_fname(turn.uri), line = turn.line + 1, turn = turn }
    end, result.turns)
    require("assent.pickers").pick("Chats", rows, function(row)
      go(server, row.turn)
    end)
  end, buf)
end

--- Asks for words, unless some are given, and finds them.
---@param words string
function M.ask(words)
  local buf = vim.api.nvim_get_current_buf()
  local function find(text)
    if text and vim.trim(text) ~= "" then
      require("assent.client").with(buf, function(server)
        M.find(server, buf, { query = text })
      end)
    end
  end
  if words ~= "" then
    return find(words)
  end
  vim.ui.input({ prompt = "Search chats: " }, find)
end

return M
