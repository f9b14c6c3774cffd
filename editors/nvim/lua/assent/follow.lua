-- Keeps the end of a reply in view in windows that show where it is written. Who scrolls away or types is let be: the window
-- then no longer shows that place, or the mode says it.
local M = {}

---@param win integer
---@return boolean
local function typing(win)
  return win == vim.api.nvim_get_current_win() and vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
end

--- Which windows follow an edit of a chat: those that show the line where it ends, with the line of the cursor in them.
---@param c assent.Changed
---@return table<integer, boolean> windows True where the cursor stands on the last line of the text.
function M.before(c)
  local wins = {}
  if not require("assent.config").get().follow then
    return wins
  end
  local count = vim.api.nvim_buf_line_count(c.buf)
  for _, win in ipairs(vim.fn.win_findbuf(c.buf)) do
    local shown = vim.fn.line("w$", win)
    if not typing(win) and shown >= math.min(c.last + 1, count) then
      wins[win] = vim.api.nvim_win_get_cursor(win)[1] >= count
    end
  end
  return wins
end

-- Scrolls until a line is in view, or the cursor's line is the first one.
---@param line integer
local function reveal(line)
  local limit = vim.fn.line(".") - vim.wo.scrolloff
  local closed = vim.fn.foldclosed(line)
  if closed > 0 then
    line = closed
  end
  for top = vim.fn.line("w0") + 1, limit do
    if vim.fn.line("w$") >= line then
      return
    end
    vim.fn.winrestview({ topline = top })
  end
end

--- Scrolls the windows after the edit.
---@param c assent.Changed
---@param wins table<integer, boolean>
function M.after(c, wins)
  local count = vim.api.nvim_buf_line_count(c.buf)
  for win, at_end in pairs(wins) do
    if vim.api.nvim_win_is_valid(win) then
      if at_end and require("assent.config").get().follow == "cursor" then
        vim.api.nvim_win_set_cursor(win, { count, 0 })
      end
      vim.api.nvim_win_call(win, function()
        reveal(math.min(c.last + c.added + 1, count))
      end)
    end
  end
end

return M
