-- What a running call prints, in a window of its own. It follows the end while its cursor is on the last line.
local M = {}

---@param output assent.Output
---@return integer buf
local function buffer(output)
  local chat = vim.fs.basename(vim.uri_to_fname(output.uri))
  local buf = vim.fn.bufadd(("assent-output://%s/%s"):format(chat, output.call))
  if not vim.api.nvim_buf_is_loaded(buf) then
    vim.fn.bufload(buf)
    vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].modifiable = "nofile", false, false
    vim.bo[buf].filetype = "assent-output"
  end
  return buf
end

-- Opens a window for it, and leaves the cursor where the person works.
---@param buf integer
local function open(buf)
  if vim.fn.bufwinid(buf) ~= -1 then
    return
  end
  local back = vim.api.nvim_get_current_win()
  vim.cmd(require("assent.config").get().output)
  vim.api.nvim_win_set_buf(0, buf)
  vim.wo[0][0].wrap, vim.wo[0][0].number, vim.wo[0][0].relativenumber = true, false, false
  vim.api.nvim_set_current_win(back)
end

--- The handler of assent/output.
---@param _ any
---@param output assent.Output
function M.receive(_, output)
  local buf = buffer(output)
  if output.show then
    open(buf)
  end
  local count, following = vim.api.nvim_buf_line_count(buf), {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] >= count then
      table.insert(following, win)
    end
  end
  local lines = vim.split(output.title .. "\n\n" .. output.text, "\n", { plain = true })
  if output.over then
    vim.list_extend(lines, { "", "[The call has ended: its result is in the chat.]" })
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  for _, win in ipairs(following) do
    vim.api.nvim_win_set_cursor(win, { #lines, 0 })
  end
end

return M
