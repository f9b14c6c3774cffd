-- Text in a window over the others, which only shows it.
local M = {}

---@class assent.Text
---@field title string
---@field text string
---@field filetype? string

--- Shows a text.
---@param shown assent.Text
---@return fun(title: string, first: string) change Gives it another title and puts a line first, while it is there.
function M.show(shown)
  local lines = vim.split((shown.text:gsub("\n$", "")), "\n", { plain = true })
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable, vim.bo[buf].filetype = "wipe", false, shown.filetype or ""
  local title, width = shown.title, 40
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line) + 1)
  end
  width = math.max(math.min(width, vim.o.columns - 6), 1)
  local function layout(height)
    height = math.max(math.min(height, vim.o.lines - 6), 1)
    return {
      relative = "editor",
      row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
      col = math.max(math.floor((vim.o.columns - width) / 2), 0),
      width = width,
      height = height,
      style = "minimal",
      border = "rounded",
      title = " " .. title .. " ",
      footer = " q close ",
      zindex = 60, -- over the list
    }
  end
  local win = vim.api.nvim_open_win(buf, true, layout(#lines))
  vim.wo[win][0].wrap = true -- whatever the user has for files
  local function fit()
    vim.api.nvim_win_set_config(win, layout(vim.api.nvim_win_text_height(win, {}).all)) -- long lines are wrapped
  end
  fit()
  vim.wo[win].winfixbuf = true -- a file would be under the title of this text
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, function()
      vim.api.nvim_win_close(win, true)
    end, { buffer = buf, nowait = true, desc = "Assent: close" })
  end
  return function(new_title, first)
    if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= buf then
      return
    end
    title, vim.bo[buf].modifiable = new_title, true
    vim.api.nvim_buf_set_lines(buf, 0, 0, false, { first, "" })
    vim.bo[buf].modifiable = false
    fit()
  end
end

return M
