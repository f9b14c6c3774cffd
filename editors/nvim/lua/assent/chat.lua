-- Where the blocks of a chat are, line by line: what the page of the chat format calls blocks, by their fences. Only the lines
-- that changed are read again.
local M = {}

local kinds = { thinking = true, tool = true, malformed = true, result = true, context = true, reason = true, answer = true }

---@class assent.Fence
---@field mark string The character of the fence.
---@field length integer
---@field first integer Its line, from 1.
---@field kind? string The kind of the block; nil: ordinary code.
---@field id? string Of a call or a result.
---@field last? integer The line of the closing fence.

---@class assent.Lines
---@field valid integer So many lines are read.
---@field tick integer The b:changedtick for which that is so.
---@field announced? integer Only lines from this one on are about to change.
---@field open table<integer, assent.Fence|false> The fence in which each line stands, that of the closing line included.
---@field turn table<integer, boolean> Whether each line stands in a turn.
---@field heading table<integer, boolean>

local cache = {} ---@type table<integer, assent.Lines>

---@param line string
---@param number integer
---@return assent.Fence?
local function opening(line, number)
  local marks, info = line:match("^ ? ? ?(```+)([^`]*)$")
  if not marks then
    marks, info = line:match("^ ? ? ?(~~~+)(.*)$")
  end
  if not marks then
    return nil
  end
  local words = vim.split(vim.trim(info), "%s+")
  local kind = kinds[words[1]] and words[1] or nil
  local id = kind == "tool" and words[3] or words[2]
  return { mark = marks:sub(1, 1), length = #marks, first = number, kind = kind, id = id }
end

---@param line string
---@param fence assent.Fence
local function closes(line, fence)
  local marks = line:match("^ ? ? ?(" .. vim.pesc(fence.mark) .. "+)%s*$")
  return marks ~= nil and #marks >= fence.length
end

---@param buf integer
---@param to integer
---@return assent.Lines
local function read(buf, to)
  local lines = cache[buf]
  if not lines then
    lines = { valid = 0, tick = 0, open = {}, turn = {}, heading = {} }
    cache[buf] = lines
    vim.api.nvim_buf_attach(buf, false, {
      on_lines = function(_, _, tick, first)
        lines.valid, lines.tick = math.min(lines.valid, first), tick
      end,
      on_detach = function()
        cache[buf] = nil
      end,
    })
  end
  -- Neovim makes folds before it tells of a change.
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  if tick ~= lines.tick then
    lines.valid, lines.tick = math.min(lines.valid, lines.announced or 0), tick
  end
  if lines.valid >= to then
    return lines
  end
  local n = lines.valid
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, n, to, false)) do
    local fence = lines.open[n]
    if fence and fence.last and fence.last <= n then -- closed by the line before
      fence = false
    end
    n = n + 1
    lines.heading[n] = false
    if fence then
      fence.last = closes(line, fence) and n or nil
    else
      fence = opening(line, n) or false
      lines.heading[n] = not fence and line:find("^ ? ? ?## +%u%l+ *#* *$") ~= nil and (line:find("You") or line:find("Assistant")) ~= nil
    end
    lines.open[n] = fence
    lines.turn[n] = lines.heading[n] or lines.turn[n - 1] or false
  end
  lines.valid = n
  return lines
end

--- An edit begins that changes no line before this one, from 0; nil: it is over.
---@param buf integer
---@param first? integer
function M.announce(buf, first)
  if cache[buf] then
    cache[buf].announced = first
  end
end

--- The fold level of a line, for foldexpr: turns, and blocks in them.
---@param buf integer
---@param number integer
---@return string
function M.level(buf, number)
  local lines = read(buf, number)
  if lines.heading[number] then
    return ">1"
  end
  local fence = lines.open[number]
  if fence and fence.kind then
    if fence.first == number then
      return ">2"
    end
    return fence.last == number and "<2" or "2"
  end
  return lines.turn[number] and "1" or "0"
end

--- The complete blocks that touch some lines, from 1.
---@param buf integer
---@param first integer
---@param last integer
---@return assent.Fence[]
function M.blocks(buf, first, last)
  local lines = read(buf, vim.api.nvim_buf_line_count(buf))
  local out, seen = {}, {}
  for number = math.max(first, 1), math.min(last, lines.valid) do
    local fence = lines.open[number]
    if fence and fence.kind and fence.last and not seen[fence] then
      seen[fence] = true
      table.insert(out, fence)
    end
  end
  return out
end

return M
