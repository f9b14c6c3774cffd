-- Folds of a chat: turns, and the blocks in them. What a person need not read is closed once it is complete; what they open
-- stays open. They are our own in every version of Neovim, since those of LSP come later than the text.
local M = {}

local chat = require("assent.chat")
local options = require("assent.config")
local seen = vim.api.nvim_create_namespace("assent.folds") -- blocks that were closed once

--- For 'foldexpr'.
---@return string
function M.expr()
  return chat.level(vim.api.nvim_get_current_buf(), vim.v.lnum)
end

--- For 'foldtext'.
---@return string
function M.text()
  local line = vim.fn.getline(vim.v.foldstart)
  local lines = vim.v.foldend - vim.v.foldstart + 1
  local body = line:match("^%s*[`~]+%s*(.*)$")
  if body then
    line, lines = body, lines - 2
  end
  return ("▸ %s · %d %s"):format(line, lines, lines == 1 and "line" or "lines")
end

---@param win integer
---@return boolean
local function folded(win)
  return vim.wo[win].foldmethod == "expr" and vim.wo[win].foldexpr:find("assent", 1, true) ~= nil
end

-- The last of the blocks that were closed once: { mark, line, column }.
---@param buf integer
---@return table[]
local function closed_once(buf)
  return vim.api.nvim_buf_get_extmarks(buf, seen, -1, 0, { limit = 400 })
end

-- Lets Neovim make the folds of the current window anew where it lost some: it does when lines are put in above others.
---@param buf integer
local function mend(buf)
  local lost = vim.iter(closed_once(buf)):any(function(mark)
    return vim.fn.foldlevel(mark[2] + 1) < 2 and chat.level(buf, mark[2] + 1) == ">2"
  end)
  if lost then
    vim.wo[0][0].foldmethod = vim.wo.foldmethod -- of this window alone
  end
end

-- Closes a block, unless the person is in it. False: there is no fold of it yet.
---@param win integer
---@param block assent.Fence
---@return boolean
local function close(win, block)
  local line = vim.api.nvim_win_get_cursor(win)[1]
  if win == vim.api.nvim_get_current_win() and line >= block.first and line <= block.last then
    return true
  end
  return vim.api.nvim_win_call(win, function()
    if vim.fn.foldlevel(block.first) < 2 then
      return false
    end
    if vim.fn.foldclosed(block.first) < 0 then
      pcall(vim.cmd.foldclose, { range = { block.first } })
    end
    return true
  end)
end

-- Of a call that has no result yet nobody knows whether it waits: it stays open. So does what was asked while a call ran.
---@param buf integer
---@return fun(block: assent.Fence): boolean
local function closable(buf)
  local answered = {}
  for _, block in ipairs(chat.blocks(buf, 1, vim.api.nvim_buf_line_count(buf))) do
    if block.kind == "result" and block.id then
      answered[block.id] = true
    end
  end
  local wanted = options.get().folds or {}
  return function(block)
    local asked = block.kind == "context" and block.id == "asked"
    return vim.tbl_contains(wanted, block.kind) and not asked and (block.kind ~= "tool" or answered[block.id] == true)
  end
end

---@param buf integer
---@param block assent.Fence
---@return boolean
local function is_new(buf, block)
  local line = block.first - 1
  return #vim.api.nvim_buf_get_extmarks(buf, seen, { line, 0 }, { line, -1 }, {}) == 0
end

---@param buf integer
local function close_new(buf)
  local wins = vim.tbl_filter(folded, vim.fn.win_findbuf(buf))
  -- Neovim makes no folds while somebody types; they are closed when that ends.
  if #wins == 0 or vim.api.nvim_get_mode().mode:find("^[iR]") then
    return
  end
  local may = closable(buf)
  for _, block in ipairs(chat.blocks(buf, 1, vim.api.nvim_buf_line_count(buf))) do
    if may(block) and is_new(buf, block) then
      local all = true
      for _, win in ipairs(wins) do
        all = close(win, block) and all
      end
      if all then
        vim.api.nvim_buf_set_extmark(buf, seen, block.first - 1, 0, {})
      end
    end
  end
end

---@class assent.Closed
---@field win integer
---@field mark integer Of the block's first line.

--- What is closed before the server changes some lines: Neovim 0.10 opens the folds around them and below them.
---@param buf integer
---@return assent.Closed[]
function M.before(buf)
  local out = {}
  local marks = closed_once(buf)
  for _, win in ipairs(#marks > 0 and vim.tbl_filter(folded, vim.fn.win_findbuf(buf)) or {}) do
    vim.api.nvim_win_call(win, function()
      for _, mark in ipairs(marks) do
        if vim.fn.foldclosed(mark[2] + 1) > 0 then
          table.insert(out, { win = win, mark = mark[1] })
        end
      end
    end)
  end
  return out
end

--- Some lines of a chat were changed by the server, from 0; closed is what was closed below them.
---@param buf integer
---@param first integer
---@param last integer
---@param closed assent.Closed[]
function M.after(buf, first, last, closed)
  for _, win in ipairs(vim.tbl_filter(folded, vim.fn.win_findbuf(buf))) do
    vim.api.nvim_win_call(win, function()
      mend(buf)
    end)
  end
  for _, place in ipairs(closed) do
    local at = vim.api.nvim_buf_get_extmark_by_id(buf, seen, place.mark, {})
    if at[1] then
      vim.api.nvim_win_call(place.win, function()
        if vim.fn.foldlevel(at[1] + 1) >= 2 and vim.fn.foldclosed(at[1] + 1) < 0 then
          pcall(vim.cmd.foldclose, { range = { at[1] + 1 } })
        end
      end)
    end
  end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, first, last + 1, false)) do
    if line:find("^%s*[`~]") then -- a block may have become complete
      return close_new(buf)
    end
  end
end

-- Sets folding up in the current window, and closes what is complete.
---@param buf integer
local function show(buf)
  local win = vim.api.nvim_get_current_win()
  local wo = vim.wo[win][0]
  if folded(win) or (wo.foldmethod ~= "manual" and not wo.foldexpr:find("vim.lsp", 1, true)) then
    return -- done, or a person's own way of folding
  end
  wo.foldmethod, wo.foldexpr = "expr", "v:lua.require'assent.folds'.expr()"
  wo.foldtext, wo.foldlevel = "v:lua.require'assent.folds'.text()", 99
  wo.fillchars = (wo.fillchars ~= "" and wo.fillchars .. "," or "") .. "fold: "
  vim.api.nvim_buf_clear_namespace(buf, seen, 0, -1)
  close_new(buf)
end

--- The server is attached to a chat.
---@param buf integer
function M.attach(buf)
  if not options.get().folds then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      show(buf)
    end)
  end
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      show(buf)
    end,
  })
  vim.api.nvim_create_autocmd("InsertLeave", {
    buffer = buf,
    callback = function()
      vim.schedule(function()
        if vim.api.nvim_buf_is_loaded(buf) then
          close_new(buf)
        end
      end)
    end,
  })
end

return M
