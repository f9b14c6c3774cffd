-- Buffers of files, and what is set up for one once the server is attached to it.
local M = {}

--- The loaded buffer of a file. The names are compared, since bufnr() takes some characters of them for a pattern.
---@param uri? string
---@return integer?
function M.of(uri)
  local file = uri and vim.uri_to_fname(uri)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == file then
      return buf
    end
  end
end

-- The text of a file as Neovim would read it into this buffer; nil: it cannot be read. A file that is not there is empty.
---@param buf integer
---@return string?
local function on_disk(buf)
  local name, bo = vim.api.nvim_buf_get_name(buf), vim.bo[buf]
  local file = io.open(name, "rb")
  if not file then
    return not vim.uv.fs_stat(name) and "" or nil
  end
  local text = file:read("*a")
  file:close()
  if text and bo.fileencoding ~= "" and bo.fileencoding ~= "utf-8" then
    text = vim.iconv(text, bo.fileencoding, "utf-8")
  end
  if text and bo.fileformat ~= "unix" then
    text = text:gsub(bo.fileformat == "dos" and "\r\n" or "\r", "\n")
  end
  return text and text:gsub("^\239\187\191", bo.bomb and "" or "%0") or nil
end

--- Whether the file of a buffer has the buffer's text.
---@param buf integer
---@return boolean
function M.is_on_disk(buf)
  local text = on_disk(buf)
  return text ~= nil and text:gsub("\n$", "") == table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
end

local done = {} ---@type table<integer, true>

-- Keeps room for signs beside a chat: the text would move when a question comes and goes.
local function keep_room()
  local win = vim.api.nvim_get_current_win()
  if vim.wo[win].signcolumn == "auto" then
    vim.wo[win][0].signcolumn = "yes"
  end
end

---@param buf integer
function M.attached(buf)
  require("assent.hunks").show(buf)
  if done[buf] or not require("assent.client").is_chat(buf) then
    return
  end
  done[buf] = true
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, keep_room)
  end
  vim.api.nvim_create_autocmd("BufWinEnter", { buffer = buf, callback = keep_room })
  require("assent.folds").attach(buf)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      done[buf] = nil
    end,
  })
end

return M
